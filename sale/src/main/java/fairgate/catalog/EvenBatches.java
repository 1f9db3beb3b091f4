package fairgate.catalog;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.catalog.SalePolicy.PlannedBatch;
import fairgate.catalog.SalePolicy.Schedule;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// The short form of `batches` in a policy that an operator sends: `{"count": 4, "gap_ms": [3000,
/// 5000]}` divides the units evenly, the first batch at the opening and each further one after a
/// gap at random.
///
/// The gaps are drawn when the policy is saved. The saved policy has the batches with their times,
/// so they are the same for all nodes and after a restart.
public final class EvenBatches {
  /// SaleSync releases units several times a second, so shorter gaps would not be kept.
  private static final int SHORTEST_GAP_MS = 1_000;

  private static final int LONGEST_GAP_MS = 3_600_000;

  private EvenBatches() {}

  /// A policy without the short form.
  ///
  /// @param problems the reasons why there is none; the policy is then as it was
  public record Expansion(JsonNode policy, List<PolicyProblem> problems) {
    public Expansion {
      problems = List.copyOf(problems);
    }
  }

  /// Replaces the short form by batches. A policy without it stays as it is. Saving the same policy
  /// again keeps the batches that were drawn before.
  ///
  /// @param units of the whole sale
  /// @param was the schedule so far; its batches are kept if they are as the short form says
  /// @param opensAt the opening if the policy does not name one
  public static Expansion expand(
      JsonNode policy, int units, Schedule was, @Nullable Instant opensAt, RandomGenerator chance) {
    if (!(policy instanceof ObjectNode whole)
        || !(policy.get("batches") instanceof ObjectNode form)) {
      return new Expansion(policy, List.of());
    }
    List<PolicyProblem> problems = new ArrayList<>();
    PolicyFields outer = new PolicyFields(policy, "", problems);
    PolicyFields fields = new PolicyFields(form, "batches.", problems);
    Instant opens = policy.has("opens_at") ? outer.instant("opens_at") : opensAt;
    int most = Math.clamp(units, 2, PolicyJson.MOST_BATCHES);
    int count = fields.requiredInteger("count", 2, most);
    PolicyFields.Range gap = fields.range("gap_ms", SHORTEST_GAP_MS, LONGEST_GAP_MS);
    fields.refuseUnknown();
    if (opens == null && problems.isEmpty()) {
      problems.add(PolicyProblem.of("batches", "needs_opening"));
    }
    if (opens == null || !problems.isEmpty()) {
      return new Expansion(policy, problems);
    }
    List<Integer> sizes = sizes(units, count);
    Instant first = opens.truncatedTo(ChronoUnit.MILLIS);
    List<PlannedBatch> batches =
        isDrawn(was.batches(), first, sizes, gap) ? was.batches() : draw(first, sizes, gap, chance);
    ObjectNode expanded = whole.deepCopy();
    ArrayNode list = expanded.putArray("batches");
    batches.forEach(
        batch ->
            list.addObject().put("at", batch.at().toString()).put("quantity", batch.quantity()));
    return new Expansion(expanded, List.of());
  }

  /// The units of each batch; the first ones have one more if they cannot be divided evenly.
  private static List<Integer> sizes(int units, int count) {
    List<Integer> sizes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      sizes.add(units / count + (i < units % count ? 1 : 0));
    }
    return sizes;
  }

  private static List<PlannedBatch> draw(
      Instant first, List<Integer> sizes, PolicyFields.Range gap, RandomGenerator chance) {
    List<PlannedBatch> batches = new ArrayList<>();
    Instant at = first;
    for (int size : sizes) {
      batches.add(new PlannedBatch(at, size));
      at = at.plusMillis(chance.nextInt(gap.least(), gap.most() + 1));
    }
    return batches;
  }

  private static boolean isDrawn(
      List<PlannedBatch> batches, Instant first, List<Integer> sizes, PolicyFields.Range gap) {
    if (!batches.stream().map(PlannedBatch::quantity).toList().equals(sizes)
        || !batches.getFirst().at().equals(first)) {
      return false;
    }
    for (int i = 1; i < batches.size(); i++) {
      long between = Duration.between(batches.get(i - 1).at(), batches.get(i).at()).toMillis();
      if (between < gap.least() || between > gap.most()) {
        return false;
      }
    }
    return true;
  }
}
