"""Attribute privacy: hiding what a whole dataset, or its distribution, says about an attribute.

Zhang, Ohrimenko and Cummings, *Attribute Privacy: Framework and Mechanisms*, FAccT 2022.
"""

from distpriv.attribute.assumptions import AttributeAssumption, GaussianBox, noise_by_release
from distpriv.attribute.files import (
    AssumptionFile,
    NetworkFile,
    QuiltQuery,
    hospital,
    load_assumptions,
    load_network,
    save_assumptions,
    save_network,
    school,
)
from distpriv.attribute.gaussian import (
    AttributeGaussian,
    attribute_private_gaussian,
    gaussian_from_model,
)
from distpriv.attribute.influence import Quilt, find_quilts, max_influence
from distpriv.attribute.learning import LearnedNetwork, learn_network
from distpriv.attribute.network import BayesianNetwork
from distpriv.attribute.quilt import QuiltResult, ScaledQuilt, markov_quilt

__all__ = [
    "AssumptionFile",
    "AttributeAssumption",
    "AttributeGaussian",
    "BayesianNetwork",
    "GaussianBox",
    "LearnedNetwork",
    "NetworkFile",
    "Quilt",
    "QuiltQuery",
    "QuiltResult",
    "ScaledQuilt",
    "attribute_private_gaussian",
    "find_quilts",
    "gaussian_from_model",
    "hospital",
    "learn_network",
    "load_assumptions",
    "load_network",
    "markov_quilt",
    "max_influence",
    "noise_by_release",
    "save_assumptions",
    "save_network",
    "school",
]
