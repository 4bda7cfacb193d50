"""What a session remembers, by name.

A widget that is only read through what it returns has its key at the widget. Everything else that
is read or written by name is here: a key that is misspelt is an error, not a second value.
"""

from __future__ import annotations

from typing import Any, Final

import streamlit as st

from distpriv.model.run import Run

__all__ = ["Key", "runs"]


class Key:
    """Keys of the session's state."""

    # The controls of the scenario; the frame draws them, and they are in the address.
    DATA: Final = "data"
    SECRET: Final = "secret"
    STAT: Final = "stat"
    ALSO: Final = "also"
    LOOK: Final = "look"
    BOUNDS: Final = "bounds"
    DP: Final = "dp"
    CENTER: Final = "center"
    PAIRS: Final = "pairs"
    GRID: Final = "grid"
    STEP: Final = "step"
    N: Final = "n"
    N_WHOLE: Final = "n_whole"  # of the table; not in the address
    WHOLE: Final = "whole"
    REPL: Final = "repl"
    SHARE_OF: Final = "share_of"
    MECH: Final = "mech"
    EPS: Final = "eps"
    EPS_SLIDER: Final = "eps_slider"
    DELTA: Final = "delta"
    PERSONS: Final = "persons"
    PERSONS_EPS: Final = "persons_eps"
    PERSONS_DELTA: Final = "persons_delta"
    CAL: Final = "cal"
    UNITS: Final = "units"
    REPORT: Final = "report"
    DIST: Final = "dist"
    SEED: Final = "seed"
    VIEW: Final = "view"
    IMAGE_FORMAT: Final = "image_format"

    # What the frame makes of them, for every page.
    DATASET: Final = "dataset"
    SCENARIO: Final = "scenario"
    HEADLINE_SAID: Final = "headline_said"
    HEADLINE: Final = "headline"  # the place of what comes of the scenario, in this run
    NOTICE: Final = "notice"  # a sentence for the next run
    NOTICED: Final = "noticed"  # the sentence of this run, for one that begins anew
    PLACES: Final = "places"  # of the controls, in this run
    BLANK_OPEN: Final = "blank_open"  # of the first screen's sentence
    PENDING: Final = "pending"  # values for the controls of the next run
    PUT: Final = "put"  # what the program has put into controls, for the next runs
    BEGUN: Final = "begun"  # with a table: the first screen needs no cards
    BACK_TO_EXAMPLE: Final = "back_to_example"
    EXAMPLE: Final = "example"  # title of the one that the choices were begun with
    SIZES: Final = "sizes"  # of the release, as last set for examples and for uploads
    SHOWN_ON_PAGE: Final = "shown_on_page"

    # Data of the user's own; all but the table and its reference by digest and label.
    UPLOAD: Final = "upload"
    SOURCES: Final = "sources"  # tables of the server that the session has opened, by name
    SOURCE_OPENING: Final = "source_opening"
    SPOOLED: Final = "spooled"
    SPOOLED_OPENED: Final = "spooled_opened"
    SOURCE_AWAITING: Final = "source_awaiting"  # a scenario, until its table is open
    SOURCE_BARRED: Final = "source_barred"  # was open when it began to present
    SOURCE_CHECKED: Final = "source_checked"
    UPLOAD_WANTED: Final = "upload_wanted"
    PROGRESS: Final = "progress"
    UPLOAD_ERROR: Final = "upload_error"
    READING_ERROR: Final = "reading_error"
    FILE: Final = "file"
    REFERENCES: Final = "references"
    REFERENCE_READ: Final = "reference_read"
    OWN_SECRETS: Final = "own_secrets"
    OWN_PAIRS: Final = "own_pairs"
    OWN_STATISTICS: Final = "own_statistics"

    # A scenario that was opened from a link or a file.
    AWAITED_FILE: Final = "awaited_file"
    AWAITED_OTHER: Final = "awaited_other"  # a table that was opened in the place of the awaited
    AWAITED_SOURCE: Final = "awaited_source"  # of a workspace; what a link is about has no name
    AWAITING: Final = "awaiting"
    OPENED: Final = "opened"
    OPENED_ON: Final = "opened_on"

    # What brings everything back: the browser's tab, the server, and the steps of the session.
    AUTOSAVE: Final = "autosave"
    BROWSER_ASKED: Final = "browser_asked"  # by this name it answers
    BROWSER_FOUND: Final = "browser_found"
    ENTRANCE: Final = "entrance"
    STEPS: Final = "steps"
    BROWSER_FORGETS: Final = "browser_forgets"  # what the tab has is somebody else's
    WORKSPACE_KEY: Final = "workspace_key"
    WORKSPACE_ON_SERVER: Final = "workspace_on_server"

    # What pages keep.
    ALLOWED: Final = "allowed"  # right guesses of 100, on the first screen
    ALLOWED_AT: Final = "allowed_at"  # the scenario that they are those of
    ALLOWED_HELD: Final = "allowed_held"  # mechanism and ε that were taken for them, and they
    ALLOWED_WANTED: Final = "allowed_wanted"  # to be turned into an ε
    ASSUMPTION_FILE: Final = "assumption_file"
    ASSUMPTION_ROUND: Final = "assumption_round"
    ASSUMPTION_ROWS: Final = "assumption_rows"
    BELIEF_A: Final = "belief_a"
    BELIEF_B: Final = "belief_b"
    BELIEF_CENTER: Final = "belief_center"
    BELIEF_DRAW: Final = "belief_draw"
    BELIEF_PRIOR: Final = "belief_prior"
    BELIEF_WEIGHT: Final = "belief_weight"
    BELIEF_WIDTH: Final = "belief_width"
    CHOOSING_BETA: Final = "choosing_beta"
    CHOOSING_START: Final = "choosing_start"
    COMPARE_ERROR_TEXT: Final = "compare_error_text"
    COMPOSITION_PROMISES: Final = "composition_promises"
    DECIDE_TAB: Final = "show"  # in the address
    DECIDING: Final = "deciding"  # a stakeholder: key of the decision
    DECISIONS_ALL: Final = "decisions_all"
    DECISION_EDIT: Final = "decision_edit"
    DECISION_ERROR_TEXT: Final = "decision_error_text"
    EDITOR_BASES: Final = "editor_bases"
    ERROR_STATISTICS: Final = "error_statistics"
    KEPT: Final = "kept"
    KNOWN_RANGE: Final = "known_range"
    LATER: Final = "later"  # what parts that are drawn a tick later were last drawn for
    LESSON: Final = "lesson"
    LIMIT_KIND: Final = "limit_kind"
    LIMIT_SAID: Final = "limit_said"
    LIMIT_TYPED: Final = "limit_typed"
    MEANING_PRIOR: Final = "meaning_prior"
    PAPER_CELLS: Final = "paper_cells"
    PRESENTING: Final = "presenting_on"
    PROPOSAL_CHOICE: Final = "proposal_choice"
    PROPOSAL_REASON: Final = "proposal_reason"
    PUFFERFISH_PRIOR: Final = "pufferfish_prior"
    QUILT_DRAFT: Final = "quilt_draft"
    RELEASE_DESK: Final = "release_desk"
    RELEASE_NOTE: Final = "release_note"
    ROLE: Final = "role"
    SIGNED: Final = "signed_said"  # how the way in or out ended
    SIGNED_IN: Final = "signed_in"  # the sign-in that is on record
    TRAIL_FOUND: Final = "trail_found"
    TRAIL_HEAD: Final = "trail_head"
    ROOM_ASKED: Final = "room_asked"
    ROOM_CODE: Final = "room_code"
    ROOM_JOINED: Final = "room_joined"
    ROOM_KEY: Final = "room_key"
    ROOM_LED: Final = "room_led"
    ROOM_LED_CODE: Final = "room_led_code"
    ROOM_OPENING: Final = "room_opening"
    ROOM_SAID: Final = "room_said"
    ROOM_STUDENT: Final = "room_student"
    RUNS: Final = "runs"
    SCENARIO_FILE: Final = "scenario_file"
    SETTLING_COMMENT: Final = "settling_comment"
    STORE_ASIDE: Final = "store_aside_said"
    STORE_ASIDE_WHO: Final = "store_aside_who"
    STORE_DOWN: Final = "store_down"
    TOUR_ANSWERS: Final = "tour_answers"
    TOUR_GUESSES: Final = "tour_guesses_given"
    TOUR_PLAY: Final = "tour_play"
    TOUR_TAKEN: Final = "tour_taken"
    TOUR_TURNING: Final = "tour_turning"
    VIEW_BEFORE: Final = "view_before"  # it presented
    WHO: Final = "who"


def runs() -> dict[str, Run[Any]]:
    """Work that grows, by its name."""
    work: dict[str, Run[Any]] = st.session_state.setdefault(Key.RUNS, {})
    return work
