"""Attribute privacy: what a release says about protected attributes (Zhang et al. 2022)."""

from distpriv.attribute.gaussian import (
    Assumption,
    AttributeNoise,
    attribute_private_gaussian,
    noise_by_release,
)
from distpriv.attribute.learning import learn_network
from distpriv.attribute.network import BayesianNetwork
from distpriv.attribute.quilt import Quilt, QuiltResult, markov_quilt, max_influence

__all__ = ["Assumption", "AttributeNoise", "BayesianNetwork", "Quilt", "QuiltResult"]
__all__ += ["attribute_private_gaussian", "learn_network", "markov_quilt", "max_influence"]
__all__ += ["noise_by_release"]
