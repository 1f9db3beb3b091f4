package fairgate.draw.leaf;

import fairgate.draw.tlog.VerifierKey;
import fairgate.platform.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Reads the members of rules. After the first wrong member, the result is empty.
final class RulesReader {
  private static final Pattern CHAIN = Pattern.compile("[0-9a-f]{64}");
  private static final int MAX_TIERS = 1000;
  private static final int MAX_WITNESSES = 32;
  private static final int MAX_FALLBACKS = 100;

  private final JsonObject json;
  private boolean isWrong;

  RulesReader(JsonObject json) {
    this.json = json;
  }

  Optional<DrawRules> read(String canonical) {
    DrawRules rules =
        new DrawRules(
            text("draw", LeafFields.DRAW),
            number("stock"),
            holdbacks(),
            time("open"),
            number("close"),
            number("seal_by"),
            new BeaconRound(text("beacon", CHAIN), number("round")),
            fallbackRounds(),
            secondBeacon(),
            witnesses(),
            (int) number("quorum", 0, MAX_WITNESSES),
            number("qty_max", 1, Long.MAX_VALUE),
            (int) number("tiers", 1, MAX_TIERS),
            choice("fit", "stop", "skip").equals("skip"),
            time("allocate_until"),
            auditSize(),
            canonical);
    isWrong |= !choice("order", "", DrawRules.ORDER).equals(DrawRules.ORDER);
    return isWrong || !isConsistent(rules) ? Optional.empty() : Optional.of(rules);
  }

  private static boolean isConsistent(DrawRules rules) {
    return rules.beacon().round() > 0
        && rules.qtyMax() > 0
        && rules.tiers() > 0
        && rules.holdbacks() <= rules.stock()
        && rules.open().orElse(0) < rules.close()
        && rules.close() <= rules.sealBy()
        && rules.quorum() <= rules.witnesses().size();
  }

  private String text(String name, Pattern form) {
    if (json.get(name) instanceof String text && form.matcher(text).matches()) {
      return text;
    }
    isWrong = true;
    return "";
  }

  /// @param fallback the value if the member is absent
  private String choice(String name, String fallback, String other) {
    if (!json.has(name)) {
      return fallback;
    }
    if (json.get(name) instanceof String text && (text.equals(fallback) || text.equals(other))) {
      return text;
    }
    isWrong = true;
    return fallback;
  }

  private long number(String name) {
    return number(json.get(name));
  }

  private long number(String name, long fallback, long most) {
    long number = json.has(name) ? number(name) : fallback;
    isWrong |= number > most;
    return number;
  }

  private long number(@Nullable Object value) {
    if (value instanceof Long number) {
      return number;
    }
    isWrong = true;
    return 0;
  }

  private OptionalLong time(String name) {
    return json.has(name) ? OptionalLong.of(number(name)) : OptionalLong.empty();
  }

  private long holdbacks() {
    if (!json.has("holdbacks")) {
      return 0;
    }
    long sum = 0;
    if (json.get("holdbacks") instanceof JsonObject object) {
      for (String name : object.names()) {
        sum = Math.min(Long.MAX_VALUE / 2, sum + number(object.get(name)));
      }
    } else {
      isWrong = true;
    }
    return sum;
  }

  private int auditSize() {
    Object audit = json.get("audit");
    if (!json.has("audit")) {
      return 0;
    }
    if (audit instanceof JsonObject object) {
      isWrong |= object.has("auditor") && !(object.get("auditor") instanceof String);
      audit = object.get("k");
    }
    long size = number(audit);
    isWrong |= size > Integer.MAX_VALUE;
    return (int) size;
  }

  private List<Long> fallbackRounds() {
    List<Long> rounds = new ArrayList<>();
    long before = number("round");
    for (Object each : list("fallback_rounds", MAX_FALLBACKS)) {
      long round = number(each);
      isWrong |= round <= before;
      rounds.add(round);
      before = round;
    }
    return List.copyOf(rounds);
  }

  private Optional<BeaconRound> secondBeacon() {
    if (!json.has("second_beacon")) {
      return Optional.empty();
    }
    if (json.get("second_beacon") instanceof JsonObject second
        && second.names().size() == 2
        && second.get("beacon") instanceof String chain
        && CHAIN.matcher(chain).matches()
        && !chain.equals(json.get("beacon"))
        && second.get("round") instanceof Long round
        && round > 0) {
      return Optional.of(new BeaconRound(chain, round));
    }
    isWrong = true;
    return Optional.empty();
  }

  private List<VerifierKey> witnesses() {
    List<VerifierKey> witnesses = new ArrayList<>();
    for (Object each : list("witnesses", MAX_WITNESSES)) {
      Optional<VerifierKey> key =
          each instanceof String text
              ? VerifierKey.parse(text, VerifierKey.Type.COSIGNATURE)
              : Optional.empty();
      // One program with two names would be two witnesses.
      isWrong |= key.isEmpty() || witnesses.stream().anyMatch(key.get()::hasKeyOf);
      key.ifPresent(witnesses::add);
    }
    return List.copyOf(witnesses);
  }

  private List<?> list(String name, int most) {
    if (!json.has(name)) {
      return List.of();
    }
    if (json.get(name) instanceof List<?> list && list.size() <= most) {
      return list;
    }
    isWrong = true;
    return List.of();
  }
}
