package fairgate.prove.report;

import fairgate.prove.check.InvariantResults.InvariantResult;
import java.util.Locale;

/// A proof's result for a terminal.
public final class ProofTable {
  private ProofTable() {}

  public static String text(ProofResult result) {
    StringBuilder out = new StringBuilder();
    ProofResult.Numbers n = result.numbers();
    out.append(
        String.format(
            Locale.ROOT,
            "%nSeed %d, %d node%s on %s, %d s: %,d sales, %,d replies, %,d purchases granted, %,d"
                + " orders%n",
            n.seed(),
            n.nodes(),
            n.nodes() == 1 ? "" : "s",
            n.on(),
            n.seconds(),
            n.sales(),
            n.replies(),
            n.accepted(),
            n.orders()));
    out.append(String.format(Locale.ROOT, "%nFaults%n"));
    result
        .faults()
        .forEach(
            (what, times) -> out.append(String.format(Locale.ROOT, "  %6d  %s%n", times, what)));
    invariants(out, result);
    return out.toString();
  }

  private static void invariants(StringBuilder out, ProofResult result) {
    out.append(String.format(Locale.ROOT, "%n  %-14s %9s %8s%n", "Invariants", "facts", "excused"));
    result
        .verdicts()
        .forEach(
            (invariant, verdict) ->
                out.append(
                    String.format(
                        Locale.ROOT,
                        "  %-14s %,9d %,8d  %-3s %s%n",
                        verdict.word(),
                        verdict.facts(),
                        verdict.excused(),
                        invariant,
                        invariant.meaning())));
    result.verdicts().forEach((invariant, verdict) -> examples(out, invariant.name(), verdict));
    out.append(String.format(Locale.ROOT, "%n%s%n", result.verdict().sentence()));
    result.reasons().forEach(reason -> out.append("  ").append(reason).append('\n'));
    if (result.verdict() != ProofResult.Conclusion.HELD) {
      out.append(String.format(Locale.ROOT, "To repeat it: %s%n", result.command()));
    }
  }

  private static void examples(StringBuilder out, String name, InvariantResult verdict) {
    if (verdict.broken() > 0) {
      out.append(
          String.format(Locale.ROOT, "%n%s did not hold %,d times:%n", name, verdict.broken()));
      verdict.examples().forEach(text -> out.append("  ").append(text).append('\n'));
    }
  }
}
