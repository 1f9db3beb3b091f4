package fairgate.gate.risk;

import fairgate.gate.risk.RiskService.RiskVerdict;

/// The verdict on a request, and the recording of its decision.
///
/// @param recorder records the decision. To be called once, unless the request is a repeat that
///   gets the reply of the first one: a repeat decides nothing
public record Judgement(RiskVerdict verdict, Runnable recorder) {
  /// The judgement when risk is off.
  static final Judgement NONE = new Judgement(RiskVerdict.NONE, () -> {});
}
