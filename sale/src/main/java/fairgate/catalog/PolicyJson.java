package fairgate.catalog;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.catalog.SalePolicy.Admission;
import fairgate.catalog.SalePolicy.Deposit;
import fairgate.catalog.SalePolicy.DepositEnd;
import fairgate.catalog.SalePolicy.Fairness;
import fairgate.catalog.SalePolicy.Group;
import fairgate.catalog.SalePolicy.Identity;
import fairgate.catalog.SalePolicy.Limits;
import fairgate.catalog.SalePolicy.PaymentRule;
import fairgate.catalog.SalePolicy.PlannedBatch;
import fairgate.catalog.SalePolicy.PreQueue;
import fairgate.catalog.SalePolicy.Preset;
import fairgate.catalog.SalePolicy.Schedule;
import fairgate.catalog.SalePolicy.Tier;
import fairgate.catalog.SalePolicy.TokenRule;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Converts sale policies from and to JSON: a preset and the fields that differ from it.
public final class PolicyJson {
  /// Maximum units of a product. Sums of it fit in all engines.
  public static final int MOST_UNITS = 1_000_000_000;

  private static final int DAY = 86_400;
  private static final int MOST_PEOPLE = 100_000;
  private static final int MOST_JITTER_MS = 10_000;

  /// See `stored`.
  private static final List<String> NEW_FIELDS = List.of("jitter_ms", "deposit");

  static final int MOST_BATCHES = 1_000;
  private static final int MOST_ACCOUNT_AGE = 10 * 365 * DAY;
  private static final List<String> PRESETS =
      Arrays.stream(Preset.values()).map(Preset::word).toList();
  private static final List<String> IDENTITIES =
      Arrays.stream(Identity.values()).map(Identity::word).toList();
  private static final String OPEN = "open";
  private static final String STOPPED = "stopped";
  private static final List<String> JOINS = List.of(OPEN, STOPPED);
  private static final int MOST_TIERS = 4;
  private static final int MOST_RESERVED_PERCENT = 90;
  private static final int LONGEST_TIER_NAME = 60;
  private static final List<String> GROUPS =
      Arrays.stream(Group.values()).map(Group::word).toList();
  private static final List<String> PRE_QUEUES =
      Arrays.stream(PreQueue.values()).map(PreQueue::word).toList();
  private static final List<String> DEPOSIT_ENDS =
      Arrays.stream(DepositEnd.values()).map(DepositEnd::word).toList();
  private static final JsonMapper MAPPER =
      JsonMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  private PolicyJson() {}

  /// Reads a policy. The default of `preset` is `queue`, and that of each other field is the
  /// preset's value. Reports all unknown fields, wrong types and values out of bounds.
  public static PolicyOutcome read(String json) {
    try {
      return read(MAPPER.readTree(json));
    } catch (JsonProcessingException e) {
      return new PolicyOutcome.Invalid(List.of(PolicyProblem.of("", "malformed_json")));
    }
  }

  public static PolicyOutcome read(JsonNode json) {
    if (!json.isObject()) {
      return new PolicyOutcome.Invalid(List.of(PolicyProblem.of("", "not_object")));
    }
    PolicyFields fields = PolicyFields.of(json);
    String word = fields.word("preset", PRESETS, Preset.QUEUE.word());
    Preset preset = Preset.valueOf(word.toUpperCase(Locale.ROOT));
    SalePolicy base = preset.policy();
    Limits limits = limits(fields, base.limits());
    Schedule schedule = schedule(fields);
    SalePolicy policy =
        new SalePolicy(
            preset,
            admission(fields, base.admission()),
            limits,
            token(fields, base.token()),
            payment(fields, base.payment()),
            schedule,
            fairness(fields, base.fairness(), limits.maxPerUser()),
            priority(fields, schedule));
    if (policy.fairness().preQueue() == PreQueue.DRAW && !policy.priority().isEmpty()) {
      fields.problem("priority", "not_in_draw");
    }
    fields.refuseUnknown();
    return fields.problems().isEmpty()
        ? new PolicyOutcome.Valid(policy)
        : new PolicyOutcome.Invalid(List.copyOf(fields.problems()));
  }

  /// Reads a change of a policy: missing fields keep their values. Another preset sets all fields
  /// except times, batches, and whether people may join.
  public static PolicyOutcome readChange(SalePolicy policy, JsonNode json) {
    if (!(json instanceof ObjectNode change)) {
      return new PolicyOutcome.Invalid(List.of(PolicyProblem.of("", "not_object")));
    }
    ObjectNode whole = tree(policy);
    JsonNode preset = change.path("preset");
    if (preset.isTextual() && !preset.textValue().equals(policy.preset().word())) {
      whole.retain("opens_at", "closes_at", "batches", "priority", "joins");
    } else if (change.path("active_capacity").isInt() && !change.has("ready_slots")) {
      // If slots equalled the capacity, they follow it. Otherwise they stay, up to the capacity.
      int capacity = change.path("active_capacity").intValue();
      Admission was = policy.admission();
      boolean all = was.readySlots() == was.activeCapacity();
      whole.put("ready_slots", all ? capacity : Math.min(was.readySlots(), capacity));
    }
    forgetDefaults(policy, whole);
    whole.setAll(change);
    return read(whole);
  }

  /// Removes the limits of networks that are the defaults, so that they follow a change of the
  /// identity or of the units per user.
  private static void forgetDefaults(SalePolicy policy, ObjectNode whole) {
    Fairness now = policy.fairness();
    Fairness standard = Fairness.of(now.identity(), now.preQueue(), policy.limits().maxPerUser());
    if (Objects.equals(now.placesPerIp(), standard.placesPerIp())) {
      whole.remove("places_per_ip");
    }
    if (Objects.equals(now.placesPerNetwork(), standard.placesPerNetwork())) {
      whole.remove("places_per_network");
    }
    if (Objects.equals(now.unitsPerIp(), standard.unitsPerIp())) {
      whole.remove("units_per_ip");
    }
  }

  private static Admission admission(PolicyFields fields, Admission base) {
    int capacity = fields.integer("active_capacity", 1, MOST_PEOPLE, base.activeCapacity());
    // A preset with one slot per active place keeps that when the capacity changes.
    boolean all = base.readySlots() == base.activeCapacity();
    int slots = all ? capacity : Math.min(base.readySlots(), capacity);
    return new Admission(
        capacity,
        fields.integer("ready_slots", 1, capacity, slots),
        fields.optional("admit_per_second", 1, MOST_PEOPLE, base.perSecond()),
        fields.integer("purchase_window_seconds", 1, DAY, base.purchaseWindowSeconds()),
        fields.integer("jitter_ms", 0, MOST_JITTER_MS, base.jitterMs()),
        fields.optional("presence_timeout_seconds", 1, DAY, base.presenceTimeoutSeconds()),
        fields.optional("show_up_seconds", 1, DAY, base.showUpSeconds()),
        fields.word("joins", JOINS, OPEN).equals(STOPPED));
  }

  private static Limits limits(PolicyFields fields, Limits base) {
    return new Limits(
        fields.integer("max_quantity", 1, 1_000, base.maxQuantity()),
        fields.optional("max_per_user", 1, MOST_PEOPLE, base.maxPerUser()),
        fields.optional("max_per_device", 1, MOST_PEOPLE, base.maxPerDevice()),
        fields.integer("unpaid_cooldown_seconds", 0, DAY, base.unpaidCooldownSeconds()));
  }

  private static Fairness fairness(
      PolicyFields fields, Fairness base, @Nullable Integer maxPerUser) {
    Identity identity =
        Identity.valueOf(
            fields.word("identity", IDENTITIES, base.identity().word()).toUpperCase(Locale.ROOT));
    PreQueue preQueue =
        PreQueue.valueOf(
            fields.word("pre_queue", PRE_QUEUES, base.preQueue().word()).toUpperCase(Locale.ROOT));
    Fairness standard = Fairness.of(identity, preQueue, maxPerUser);
    Integer minAccountAge = fields.optional("min_account_age", 1, MOST_ACCOUNT_AGE, null);
    Instant verifiedBefore = fields.instant("verified_before");
    if (identity == Identity.DEVICE && minAccountAge != null) {
      fields.problem("min_account_age", "needs_identity");
    }
    if (identity == Identity.DEVICE && verifiedBefore != null) {
      fields.problem("verified_before", "needs_identity");
    }
    return new Fairness(
        identity,
        minAccountAge,
        verifiedBefore,
        fields.optional("places_per_ip", 1, MOST_PEOPLE, standard.placesPerIp()),
        fields.optional("places_per_network", 1, MOST_PEOPLE, standard.placesPerNetwork()),
        fields.optional("units_per_ip", 1, MOST_UNITS, standard.unitsPerIp()),
        preQueue,
        switched(fields, "device_key", "optional", base.deviceKeyRequired()));
  }

  private static TokenRule token(PolicyFields fields, TokenRule base) {
    boolean required = switched(fields, "purchase_token", "off", base.required());
    Integer ttl =
        seconds(
            fields,
            "token_ttl_seconds",
            3_600,
            required,
            Preset.FLASH.policy().token().ttlSeconds());
    return new TokenRule(required, ttl);
  }

  private static PaymentRule payment(PolicyFields fields, PaymentRule base) {
    boolean required = switched(fields, "payment", "none", base.required());
    Integer window =
        seconds(
            fields,
            "payment_window_seconds",
            7 * DAY,
            required,
            Preset.FLASH.policy().payment().windowSeconds());
    return new PaymentRule(required, window, deposit(fields, required));
  }

  private static @Nullable Deposit deposit(PolicyFields fields, boolean isPaid) {
    PolicyFields deposit = fields.object("deposit");
    if (deposit == null) {
      return null;
    }
    Integer amount = deposit.optional("amount", 1, Integer.MAX_VALUE, null);
    Integer percent = deposit.optional("percent", 1, 100, null);
    String passed = deposit.word("passed", DEPOSIT_ENDS, DepositEnd.RETURNED.word());
    deposit.refuseUnknown();
    if (!isPaid) {
      fields.problem("deposit", "needs_payment");
    }
    if ((amount == null) == (percent == null)) {
      fields.problem("deposit", "amount_or_percent");
    }
    return new Deposit(amount, percent, DepositEnd.valueOf(passed.toUpperCase(Locale.ROOT)));
  }

  private static boolean switched(PolicyFields fields, String field, String off, boolean base) {
    return fields.word(field, List.of(off, "required"), base ? "required" : off).equals("required");
  }

  /// A duration that applies only while its rule is on; null while it is off.
  private static @Nullable Integer seconds(
      PolicyFields fields, String field, int max, boolean on, @Nullable Integer standard) {
    Integer given = fields.optional(field, 1, max, standard);
    return on ? (given == null ? standard : given) : null;
  }

  private static Schedule schedule(PolicyFields fields) {
    Instant opens = fields.instant("opens_at");
    Instant closes = fields.instant("closes_at");
    if (opens != null && closes != null && !closes.isAfter(opens)) {
      fields.problem("closes_at", "after", "opens_at");
    }
    List<PlannedBatch> batches = new ArrayList<>();
    for (PolicyFields batch : fields.objects("batches", MOST_BATCHES)) {
      Instant at = batch.requiredInstant("at");
      int quantity = batch.requiredInteger("quantity", 1, MOST_UNITS);
      batch.refuseUnknown();
      if (at != null && quantity > 0) {
        if ((opens != null && at.isBefore(opens)) || (closes != null && !at.isBefore(closes))) {
          batch.problem("at", "during_sale");
        }
        batches.add(new PlannedBatch(at, quantity));
      }
    }
    return new Schedule(opens, closes, batches);
  }

  private static List<Tier> priority(PolicyFields fields, Schedule schedule) {
    List<Tier> tiers = new ArrayList<>();
    int reserved = 0;
    for (PolicyFields tier : fields.objects("priority", MOST_TIERS)) {
      String name = tier.requiredText("name", LONGEST_TIER_NAME);
      int share = tier.requiredInteger("share", 1, MOST_RESERVED_PERCENT);
      Instant until = tier.requiredInstant("until");
      String group = tier.word("for", GROUPS, Group.INVITATION.word());
      tier.refuseUnknown();
      reserved += share;
      if (until == null) {
        continue;
      }
      checkTime(tier, until, schedule, tiers);
      if (tiers.stream().anyMatch(other -> other.name().equals(name))) {
        tier.problem("name", "used_twice");
      }
      tiers.add(new Tier(name, share, until, Group.valueOf(group.toUpperCase(Locale.ROOT))));
    }
    if (reserved > MOST_RESERVED_PERCENT) {
      fields.problem("priority", "shares_too_large", Integer.toString(MOST_RESERVED_PERCENT));
    }
    return tiers;
  }

  /// Units pass from tier to tier, so no tier may end before the one before it.
  private static void checkTime(
      PolicyFields tier, Instant until, Schedule schedule, List<Tier> before) {
    Instant opens = schedule.opensAt();
    Instant closes = schedule.closesAt();
    if ((opens != null && !until.isAfter(opens)) || (closes != null && until.isAfter(closes))) {
      tier.problem("until", "during_sale");
    }
    if (!before.isEmpty() && until.isBefore(before.getLast().until())) {
      tier.problem("until", "not_before_tier");
    }
  }

  /// Writes the policy as JSON with all fields. Reading it returns an equal policy.
  public static String write(SalePolicy policy) {
    return tree(policy).toString();
  }

  /// Writes the policy for the database. Fields that came with the last release are left out where
  /// they have the preset's value, because nodes of the release before refuse fields that they do
  /// not know.
  static String stored(SalePolicy policy) {
    ObjectNode json = tree(policy);
    ObjectNode base = tree(policy.preset().policy());
    for (String field : NEW_FIELDS) {
      if (json.path(field).equals(base.path(field))) {
        json.remove(field);
      }
    }
    return json.toString();
  }

  /// Reads a policy of the database. Ignores fields that this release does not know: a node of a
  /// newer one has written them.
  static PolicyOutcome readStored(String json) {
    try {
      JsonNode stored = MAPPER.readTree(json);
      if (stored instanceof ObjectNode fields) {
        List<String> known = new ArrayList<>(NEW_FIELDS);
        tree(Preset.QUEUE.policy()).fieldNames().forEachRemaining(known::add);
        fields.retain(known);
      }
      return read(stored);
    } catch (JsonProcessingException e) {
      return new PolicyOutcome.Invalid(List.of(PolicyProblem.of("", "malformed_json")));
    }
  }

  /// As `write`, as a tree.
  public static ObjectNode tree(SalePolicy policy) {
    Admission admission = policy.admission();
    Limits limits = policy.limits();
    Fairness fairness = policy.fairness();
    ObjectNode json =
        MAPPER
            .createObjectNode()
            .put("preset", policy.preset().word())
            .put("active_capacity", admission.activeCapacity())
            .put("ready_slots", admission.readySlots())
            .put("admit_per_second", admission.perSecond())
            .put("purchase_window_seconds", admission.purchaseWindowSeconds())
            .put("jitter_ms", admission.jitterMs())
            .put("max_quantity", limits.maxQuantity())
            .put("max_per_user", limits.maxPerUser())
            .put("max_per_device", limits.maxPerDevice())
            .put("purchase_token", policy.token().required() ? "required" : "off")
            .put("token_ttl_seconds", policy.token().ttlSeconds())
            .put("payment", policy.payment().required() ? "required" : "none")
            .put("payment_window_seconds", policy.payment().windowSeconds())
            .put("presence_timeout_seconds", admission.presenceTimeoutSeconds())
            .put("show_up_seconds", admission.showUpSeconds())
            .put("opens_at", text(policy.schedule().opensAt()))
            .put("closes_at", text(policy.schedule().closesAt()))
            .put("unpaid_cooldown_seconds", limits.unpaidCooldownSeconds())
            .put("identity", fairness.identity().word())
            .put("min_account_age", fairness.minAccountAge())
            .put("verified_before", text(fairness.verifiedBefore()))
            .put("places_per_ip", fairness.placesPerIp())
            .put("places_per_network", fairness.placesPerNetwork())
            .put("units_per_ip", fairness.unitsPerIp())
            .put("pre_queue", fairness.preQueue().word())
            .put("device_key", fairness.deviceKeyRequired() ? "required" : "optional")
            .put("joins", admission.joinsStopped() ? STOPPED : OPEN);
    Deposit deposit = policy.payment().deposit();
    if (deposit != null) {
      json.putObject("deposit")
          .put("amount", deposit.amount())
          .put("percent", deposit.percent())
          .put("passed", deposit.passed().word());
    }
    var tiers = json.putArray("priority");
    for (Tier tier : policy.priority()) {
      tiers
          .addObject()
          .put("name", tier.name())
          .put("share", tier.share())
          .put("until", tier.until().toString())
          .put("for", tier.group().word());
    }
    var batches = json.putArray("batches");
    for (PlannedBatch batch : policy.schedule().batches()) {
      batches.addObject().put("at", batch.at().toString()).put("quantity", batch.quantity());
    }
    return json;
  }

  private static @Nullable String text(@Nullable Instant at) {
    return at == null ? null : at.toString();
  }
}
