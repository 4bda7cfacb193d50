"""Attribute privacy: hiding what a whole dataset, or its distribution, says about an attribute.

Zhang, Ohrimenko and Cummings, *Attribute Privacy: Framework and Mechanisms*, FAccT 2022.
"""
