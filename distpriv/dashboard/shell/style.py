"""The few styles that Streamlit's own options cannot set; nothing of the user's is in them."""

from __future__ import annotations

import streamlit as st

__all__ = ["draw"]

_STYLES = """
<style>
[data-testid="stMainBlockContainer"] {padding-top: 4.25rem; padding-bottom: 4rem;}
.st-key-verdict p {font-size: 1.25rem; line-height: 1.5;}
.st-key-sentence {row-gap: 0.4rem; column-gap: 0.6rem;}
.st-key-sentence p {font-size: 1.1rem;}
[data-testid="stCaptionContainer"] {color: inherit !important; opacity: 0.8;}
/* Streamlit writes white on the primary colour, which is light in the dark, and grey in charts. */
[data-testid^="stBaseButton-primary"]:not(:disabled),
[data-testid="stMultiSelect"] [data-tag] {color: light-dark(#ffffff, #0e1117);}
.js-plotly-plot text:is([style*="rgb(128, 132, 149)"], [style*="rgb(127, 140, 154)"])
    {fill: currentColor !important; fill-opacity: 0.8 !important;}
/* A chart that takes its size while the colours change may keep those of before. */
.js-plotly-plot text:not(.hoverlayer text):is([style*="fill: rgb(31, 41, 51)"],
    [style*="fill: rgb(38, 39, 48)"], [style*="fill: rgb(230, 234, 241)"],
    [style*="fill: rgb(245, 247, 250)"], [style*="fill: rgb(250, 250, 250)"])
    {fill: currentColor !important;}
/* Its colours of code are too pale for their ground. */
[data-testid="stCode"] .token:is(.comment, .prolog, .cdata)
    {color: light-dark(#5b6070, #a4a9b8) !important;}
[data-testid="stCode"] .token:is(.string, .char, .attr-value, .builtin, .inserted)
    {color: light-dark(#06742a, #3fcb6f) !important;}
[data-testid="stCode"] .token:is(.keyword, .tag, .selector, .atrule, .attr-name, .boolean, .number)
    {color: light-dark(#0b5aa8, #74b6ff) !important;}
@media (prefers-reduced-motion: reduce) {
    *, *::before, *::after {animation-duration: 0.01ms !important;
        transition-duration: 0.01ms !important; scroll-behavior: auto !important;}
}
</style>
"""


def draw() -> None:
    """Put them into the page; they take no room."""
    st.html(_STYLES)
