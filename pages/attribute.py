"""Attribute privacy: noise that hides what a dataset or its distribution says of an attribute."""

import streamlit as st

from distpriv.dashboard.attribute import dataset_tab, distribution_tab
from distpriv.dashboard.shell import frame

dataset, scenario = frame.open_page()

of_dataset, of_distribution = st.tabs(
    ["Dataset", "Distribution"], key="attribute_tab", on_change="rerun", bind="query-params"
)
if of_dataset.open:
    with of_dataset:
        dataset_tab.dataset_tab(dataset, scenario)
if of_distribution.open:
    with of_distribution:
        distribution_tab.distribution_tab(dataset, scenario)
