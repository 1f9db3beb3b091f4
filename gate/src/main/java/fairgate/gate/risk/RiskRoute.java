package fairgate.gate.risk;

import fairgate.kernel.Word;

/// The kinds of requests that are judged.
public enum RiskRoute implements Word {
  JOIN,
  PURCHASE,
  CLAIM
}
