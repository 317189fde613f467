"""The tables of thin against thick answers: labels and macro F1 of the same items, models side by side, their order."""

from mores.benchmarks.shapes.reasons.across_models import FOR_QUARTILES
from mores.tables import Column, Table

MODEL = Column(key="model", title="Model", kind="model", says="the subject, with its run where it has several")
SIMULATED = Column(key="simulated", title="Simulated", kind="flag", says="true where answers or judges were made up")
SET = Column(key="set", title="Set", kind="benchmark", says="what both forms ask about")
CAUTION = Column(key="caution", title="Caution", kind="text", says="what has to be known of the answers")
FIGURE = Column(key="figure", title="Figure", kind="text", says="`f1_micro` or `f1_macro`")
CHANGE = Column(
    key="change",
    title="Thick − thin, points",
    kind="contrast",
    main=True,
    ends=("thick", "thin"),
    says="thick answers less thin ones, over items graded in both",
)
LABELS = Table(
    id="thick_labels",
    title="Thin against thick",
    columns=(
        MODEL,
        SIMULATED,
        SET,
        Column(key="thin_benchmark", title="Thin benchmark", kind="benchmark", says="that asks for labels alone"),
        Column(key="thick_benchmark", title="Thick benchmark", kind="benchmark", says="that asks for reasons too"),
        CHANGE,
        Column(key="unreadable_thin", title="Unreadable, thin", kind="estimate", says="share without a label"),
        Column(key="unreadable_thick", title="Unreadable, thick", kind="estimate", says="share without a label"),
        Column(key="only_thin", title="Only thin", kind="count", says="items that the thick form did not ask"),
        Column(key="only_thick", title="Only thick", kind="count", says="items that the thin form did not ask"),
        Column(key="ungraded", title="Ungraded", kind="count", says="units not graded in both"),
        Column(key="other_data", title="Other data", kind="flag", says="true where data files differ: paired by id"),
    ),
)
MACRO = Table(id="thick_macro_f1", title="Macro F1 of each model", columns=(MODEL, SIMULATED, SET, CHANGE))
MACRO_MEANS = Table(
    id="thick_macro_f1_means",
    title="Macro F1, mean over models",
    columns=(
        Column(key="set", title="Set", kind="text", says="nothing for all sets, each counting alike"),
        Column(key="models", title="Models", kind="count", says="over which the mean is"),
        SIMULATED,
        CHANGE,
    ),
)
SPREADS = Table(
    id="thick_spreads",
    title="Spread over models",
    columns=(
        SET,
        FIGURE,
        Column(key="models", title="Models", kind="count", says="that have both forms"),
        SIMULATED,
        Column(key="thin", title="Thin, points", kind="number", says="interquartile range over models, thin"),
        Column(key="thick", title="Thick, points", kind="number", says="interquartile range over models, thick"),
        Column(key="reduced", title="Reduced", kind="number", says="by which part the thick range is less"),
        Column(key="why", title="Why", kind="reason", says=f"reason for a missing one: under {FOR_QUARTILES} models …"),
        CAUTION,
    ),
)
BOXES = Table(
    id="thick_boxes",
    title="F1 over models, thin and thick",
    columns=(
        SET,
        FIGURE,
        Column(key="form", title="Form", kind="text", says="`thin` or `thick`"),
        Column(key="low", title="Low", kind="share", says="the last model within 1.5 quartile ranges below"),
        Column(key="first_quartile", title="First quartile", kind="share", says="over models"),
        Column(key="median", title="Median", kind="share", says="over models"),
        Column(key="third_quartile", title="Third quartile", kind="share", says="over models"),
        Column(key="high", title="High", kind="share", says="the last model within 1.5 quartile ranges above"),
        Column(key="outliers", title="Outliers", kind="names", says="models beyond these ends"),
    ),
)
SCORED = Table(
    id="thick_f1",
    title="F1 of each model, thin and thick",
    columns=(
        SET,
        FIGURE,
        MODEL,
        Column(key="thin", title="Thin", kind="share", says="F1 of thin answers"),
        Column(key="thick", title="Thick", kind="share", says="F1 of thick answers to the same items"),
        Column(key="items", title="Items", kind="count", says="graded in both"),
        CAUTION,
    ),
)
RANKS = Table(
    id="thick_ranks",
    title="Ranks, thin and thick",
    columns=(
        SET,
        MODEL,
        SIMULATED,
        Column(key="thin", title="Thin", kind="share", says="share of right labels in thin answers"),
        Column(key="thin_rank", title="Rank, thin", kind="estimate", says="among these models"),
        Column(key="thick", title="Thick", kind="share", says="share of right labels in thick answers"),
        Column(key="thick_rank", title="Rank, thick", kind="estimate", says="among these models"),
        CAUTION,
    ),
)
REVERSED = Table(
    id="thick_reversed",
    title="Pairs of models whose order reverses",
    columns=(
        SET,
        SIMULATED,
        Column(key="share", title="Reversed", kind="estimate", main=True, says="share of pairs of models that reverse"),
        Column(key="reversed", title="Reversed pairs", kind="count", says="how many these are"),
        Column(key="certain", title="Certain", kind="count", says="of them for certain"),
        Column(key="units", title="Items", kind="count", says="that all models have a grade on in both forms"),
        Column(key="clusters", title="Clusters", kind="count", says="of these items"),
    ),
)
REVERSALS = Table(
    id="thick_reversals",
    title="Models whose order reverses",
    columns=(
        SET,
        Column(key="ahead", title="Ahead", kind="model", says="the model that is ahead in thin answers"),
        Column(key="behind", title="Behind", kind="model", says="the one behind it, which is ahead in thick ones"),
        Column(key="thin", title="Ahead by", kind="number", says="in thin answers, as a share"),
        Column(key="thick", title="Behind by", kind="number", says="in thick answers, as a share, below 0"),
        Column(key="certain", title="Certain", kind="flag", says="true where both differences are found"),
        CAUTION,
    ),
)
FORM_TABLES = (LABELS, MACRO, MACRO_MEANS, SPREADS, BOXES, SCORED, RANKS, REVERSED, REVERSALS)
