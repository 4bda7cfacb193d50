"""What a scenario comes to: scenario and file, sweeps over ε or Δp, choosing ε, comparing."""
