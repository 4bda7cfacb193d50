"""What stands between the network and the dashboard: who may ask, how much, and how."""
