package fairgate.app;

import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.crowd.rehearsal.ZooPlan;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/// The options of `rehearse` for the attack zoo.
final class ZooOptions {
  @Option(
      names = "--zoo",
      description = {
        "Runs the crowds of the attack zoo instead, each in a sale of its own, and compares them",
        "with the contract. Exit code 1 when a line of it does not hold."
      })
  private boolean all;

  @Option(
      names = "--crowd",
      paramLabel = "LETTERS",
      split = ",",
      description = "Runs some crowds of the zoo, as in a,f.")
  private List<String> letters = new ArrayList<>();

  @Option(
      names = "--honest",
      paramLabel = "N",
      description = "Zoo: honest visitors beside each crowd. Default: ${DEFAULT-VALUE}.")
  private int honest = 40;

  @Option(
      names = "--scale",
      paramLabel = "SHARE",
      description =
          "Zoo: share of each crowd's people, for a quick try. Default: ${DEFAULT-VALUE}.")
  private double scale = 1;

  @Option(
      names = "--policy",
      paramLabel = "JSON",
      description = "Zoo: replaces fields of the sales' policies, as in {\"units_per_ip\":8}.")
  private String policy = "{}";

  boolean wanted() {
    return all || !letters.isEmpty();
  }

  /// Throws IllegalArgumentException, with an explanation, if an option is out of bounds.
  ZooPlan plan() {
    if (honest < 1 || honest > 1_000) {
      throw new IllegalArgumentException("--honest: 1 to 1000");
    }
    if (!(scale > 0 && scale <= 1)) {
      throw new IllegalArgumentException("--scale: above 0, at most 1");
    }
    ObjectNode changes;
    try {
      changes = ZooPlan.policy(policy);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("--policy: " + e.getMessage(), e);
    }
    return new ZooPlan(chosen(), honest, scale, changes);
  }

  private List<Character> chosen() {
    if (letters.isEmpty()) {
      return ZooPlan.letters();
    }
    List<Character> chosen = new ArrayList<>();
    for (String letter : letters) {
      if (letter.length() != 1 || !ZooPlan.letters().contains(letter.charAt(0))) {
        throw new IllegalArgumentException(
            "--crowd: some of " + ZooPlan.letters() + ", not " + letter);
      }
      chosen.add(letter.charAt(0));
    }
    return chosen;
  }
}
