# The names of distpriv as type checkers see them; __init__.py loads each when it is first used.

from distpriv import (
    analysis as analysis,
    attacks as attacks,
    attribute as attribute,
    charts as charts,
    composition as composition,
    distances as distances,
    errors as errors,
    hypothesis as hypothesis,
    lessons as lessons,
    mechanisms as mechanisms,
    model as model,
    papers as papers,
    plot as plot,
    privacy as privacy,
    queries as queries,
    records as records,
    report as report,
    sources as sources,
    tables as tables,
)
from distpriv.analysis import (
    ErrorLimit as ErrorLimit,
    Limit as Limit,
    Scenario as Scenario,
    choose as choose,
    compare as compare,
    evaluate as evaluate,
    exposure as exposure,
)
from distpriv.attacks import (
    audit_attack as audit_attack,
    run_attack as run_attack,
)
from distpriv.attribute import (
    BayesianNetwork as BayesianNetwork,
    attribute_private_gaussian as attribute_private_gaussian,
    learn_network as learn_network,
    markov_quilt as markov_quilt,
)
from distpriv.composition import (
    compose as compose,
    joint_release as joint_release,
)
from distpriv.distances import (
    closeness as closeness,
    wasserstein_inf as wasserstein_inf,
)
from distpriv.errors import (
    AttackError as AttackError,
    DistprivError as DistprivError,
    NotApplicable as NotApplicable,
    ReadError as ReadError,
    SourceError as SourceError,
    StoreError as StoreError,
)
from distpriv.mechanisms import (
    calibrate as calibrate,
)
from distpriv.model import (
    GaussianModel as GaussianModel,
    Promise as Promise,
    Release as Release,
)
from distpriv.privacy import (
    Persons as Persons,
    delivered_delta as delivered_delta,
    delivered_epsilon as delivered_epsilon,
    exact_law as exact_law,
    optimal_attack_accuracy as optimal_attack_accuracy,
    privacy_loss as privacy_loss,
)
from distpriv.queries import (
    Correlation as Correlation,
    Count as Count,
    Deviation as Deviation,
    Mean as Mean,
    Median as Median,
    Pair as Pair,
    Proportion as Proportion,
    Quantile as Quantile,
    Query as Query,
    SensitiveProperty as SensitiveProperty,
    Statistic as Statistic,
    Sum as Sum,
)
from distpriv.records import (
    draw_release as draw_release,
)
from distpriv.sources import (
    connect as connect,
    fit_gaussian as fit_gaussian,
    from_spark as from_spark,
    scan as scan,
)
from distpriv.tables import (
    how_read as how_read,
    load_census_income as load_census_income,
    load_example as load_example,
    read_table as read_table,
)

__version__: str
