package fairgate.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import fairgate.catalog.SalePolicy.Fairness;
import fairgate.catalog.SalePolicy.Preset;
import fairgate.kernel.Money;
import fairgate.platform.text.Messages;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

final class SalePolicyTest {
  private static final List<String> FIELDS =
      List.of(
          "preset",
          "active_capacity",
          "ready_slots",
          "admit_per_second",
          "max_per_user",
          "purchase_token",
          "payment_window_seconds",
          "opens_at",
          "batches",
          "other");
  private static final List<String> VALUES =
      List.of(
          "null",
          "1",
          "-1",
          "1e9",
          "100000",
          "\"flash\"",
          "\"required\"",
          "[]",
          "[{}]",
          "{}",
          "true",
          "\"2026-11-11T12:00:00Z\"",
          "\"9999-99-99\"",
          "12345678901234567890",
          "");

  @Test
  void theQueuePresetIsTheFairLine() {
    assertThat(PolicyJson.write(valid("{\"preset\": \"queue\"}")))
        .isEqualTo(
            """
            {"preset":"queue","active_capacity":100,"ready_slots":1,"admit_per_second":null,\
            "purchase_window_seconds":300,"max_quantity":1,"max_per_user":1,"max_per_device":null,\
            "purchase_token":"off","token_ttl_seconds":null,"payment":"none",\
            "payment_window_seconds":null,"presence_timeout_seconds":120,"show_up_seconds":20,\
            "opens_at":null,"closes_at":null,"unpaid_cooldown_seconds":60,"identity":"device",\
            "min_account_age":null,"verified_before":null,"places_per_ip":5,\
            "places_per_network":20,"units_per_ip":2,"pre_queue":"arrival",\
            "device_key":"optional","joins":"open","priority":[],"batches":[]}\
            """);
  }

  @Test
  void aDepositIsAnAmountOrAPercentageRoundedDown() {
    SalePolicy percent = valid("{\"payment\": \"required\", \"deposit\": {\"percent\": 33}}");
    assertThat(valid(PolicyJson.write(percent))).isEqualTo(percent);
    SalePolicy.Deposit deposit = Objects.requireNonNull(percent.payment().deposit());
    assertThat(deposit.of(new Money(1_001, "TWD"))).isEqualTo(new Money(330, "TWD"));
    assertThat(deposit.passed()).isEqualTo(SalePolicy.DepositEnd.RETURNED);
    SalePolicy amount =
        valid("{\"preset\": \"flash\", \"deposit\": {\"amount\": 50, \"passed\": \"kept\"}}");
    assertThat(valid(PolicyJson.write(amount))).isEqualTo(amount);
    assertThat(Objects.requireNonNull(amount.payment().deposit()).of(new Money(1_001, "TWD")))
        .isEqualTo(new Money(50, "TWD"));
  }

  @Test
  void theFlashPresetIsTheFlashSale() {
    assertThat(PolicyJson.write(valid("{\"preset\": \"flash\"}")))
        .isEqualTo(
            """
            {"preset":"flash","active_capacity":2000,"ready_slots":2000,"admit_per_second":1200,\
            "purchase_window_seconds":300,"max_quantity":2,"max_per_user":2,"max_per_device":2,\
            "purchase_token":"required","token_ttl_seconds":10,"payment":"required",\
            "payment_window_seconds":600,"presence_timeout_seconds":120,"show_up_seconds":20,\
            "opens_at":null,"closes_at":null,"unpaid_cooldown_seconds":60,"identity":"device",\
            "min_account_age":null,"verified_before":null,"places_per_ip":5,\
            "places_per_network":20,"units_per_ip":4,"pre_queue":"shuffle",\
            "device_key":"optional","joins":"open","priority":[],"batches":[]}\
            """);
  }

  @Test
  void withoutAPresetItIsTheQueue() {
    assertThat(valid("{}")).isEqualTo(Preset.QUEUE.policy());
  }

  @Test
  void everyFieldCanBeOverridden() {
    String json =
        """
        {"preset":"queue","active_capacity":7,"ready_slots":3,"admit_per_second":11,\
        "purchase_window_seconds":13,"max_quantity":5,"max_per_user":17,"max_per_device":19,\
        "purchase_token":"required","token_ttl_seconds":23,"payment":"required",\
        "payment_window_seconds":29,"presence_timeout_seconds":31,"show_up_seconds":43,\
        "opens_at":"2026-11-11T12:00:00Z","closes_at":"2026-11-12T12:00:00Z",\
        "unpaid_cooldown_seconds":37,"identity":"phone","min_account_age":47,\
        "verified_before":"2026-11-10T12:00:00Z","places_per_ip":53,"places_per_network":59,\
        "units_per_ip":61,"pre_queue":"shuffle","device_key":"required","joins":"stopped",\
        "priority":[{"name":"Members","share":30,\
        "until":"2026-11-11T12:05:00Z","for":"invitation"}],\
        "batches":[{"at":"2026-11-11T12:00:00Z","quantity":41}]}\
        """;

    assertThat(PolicyJson.write(valid(json))).isEqualTo(json);
  }

  @Test
  void networksMayHoldMoreWhenPeopleAreVerified() {
    Fairness phone = valid("{\"preset\": \"flash\", \"identity\": \"phone\"}").fairness();
    assertThat(phone.placesPerIp()).isEqualTo(300);
    assertThat(phone.placesPerNetwork()).isEqualTo(1_200);
    assertThat(phone.placesPerSite()).isEqualTo(1_500);
    assertThat(phone.unitsPerIp()).isEqualTo(600);
    assertThat(valid("{\"max_per_user\": null}").fairness().unitsPerIp()).isNull();
  }

  @Test
  void theDefaultOfANetworkGrowsWithTheUnitsAndOtherLimitsStay() {
    Fairness standard = valid("{\"preset\": \"flash\"}").fairness();
    assertThat(standard.forUnits(1_000)).isEqualTo(standard);
    assertThat(standard.forUnits(10_000).placesPerNetwork()).isEqualTo(200);
    assertThat(standard.forUnits(10_000).placesPerSite()).isEqualTo(250);
    assertThat(standard.forUnits(10_000).placesPerIp()).isEqualTo(5);
    Fairness own = valid("{\"places_per_network\": 30}").fairness();
    assertThat(own.forUnits(10_000)).isEqualTo(own);
    Fairness none = valid("{\"places_per_network\": null}").fairness();
    assertThat(none.forUnits(10_000)).isEqualTo(none);
  }

  @Test
  void defaultLimitsOfNetworksFollowAChangeAndOthersStay() throws Exception {
    SalePolicy policy = valid("{\"preset\": \"flash\", \"places_per_ip\": 7}");
    Fairness changed =
        changed(policy, "{\"identity\": \"person\", \"max_per_user\": 3}").fairness();
    assertThat(changed.placesPerIp()).isEqualTo(7);
    assertThat(changed.placesPerNetwork()).isEqualTo(1_200);
    assertThat(changed.unitsPerIp()).isEqualTo(900);
  }

  @Test
  void tiersEndDuringTheSaleAndLeaveAShareToEverybody() {
    assertThat(
            problems(
                """
                {"opens_at":"2026-11-11T12:00:00Z","closes_at":"2026-11-11T14:00:00Z","priority":[
                  {"name":"Members","share":60,"until":"2026-11-11T13:00:00Z","for":"invitation"},
                  {"name":"Members","share":40,"until":"2026-11-11T12:30:00Z","for":"phone"},
                  {"name":"\\n","share":0,"until":"2026-11-11T15:00:00Z","for":"friends"},
                  {"share":1,"name":"x","color":"red"}]}
                """))
        .extracting(p -> p.field() + " " + p.problem())
        .containsExactlyInAnyOrder(
            "priority[1].until not_before_tier",
            "priority[1].name used_twice",
            "priority[2].name not_line",
            "priority[2].share out_of_range",
            "priority[2].until during_sale",
            "priority[2].for not_one_of",
            "priority[3].until not_instant",
            "priority[3].color unknown_field",
            "priority shares_too_large");
  }

  @Test
  void rulesOnAccountsNeedAnIdentity() {
    assertThat(PolicyJson.read("{\"min_account_age\": 60}"))
        .isInstanceOf(PolicyOutcome.Invalid.class);
    assertThat(PolicyJson.read("{\"verified_before\": \"2026-11-10T12:00:00Z\"}"))
        .isInstanceOf(PolicyOutcome.Invalid.class);
    assertThat(
            valid("{\"identity\": \"account\", \"min_account_age\": 60}")
                .fairness()
                .minAccountAge())
        .isEqualTo(60);
  }

  private static SalePolicy changed(SalePolicy policy, String json) throws Exception {
    return ((PolicyOutcome.Valid) PolicyJson.readChange(policy, new JsonMapper().readTree(json)))
        .policy();
  }

  @Test
  void readySlotsFollowTheCapacityOfAPresetWithoutALine() {
    assertThat(valid("{\"preset\": \"flash\", \"active_capacity\": 50}").admission().readySlots())
        .isEqualTo(50);
    assertThat(valid("{\"active_capacity\": 50}").admission().readySlots()).isEqualTo(1);
  }

  @Test
  void aRuleSwitchedOnHasItsUsualTimeAndOneSwitchedOffHasNone() {
    SalePolicy on = valid("{\"purchase_token\": \"required\", \"payment\": \"required\"}");
    SalePolicy off =
        valid("{\"preset\": \"flash\", \"purchase_token\": \"off\", \"payment\": \"none\"}");

    assertThat(on.token().ttlSeconds()).isEqualTo(10);
    assertThat(on.payment().windowSeconds()).isEqualTo(600);
    assertThat(off.token().ttlSeconds()).isNull();
    assertThat(off.payment().windowSeconds()).isNull();
  }

  @Test
  void batchesAreKeptByTimeWhateverTheirOffset() {
    SalePolicy policy =
        valid(
            """
            {"batches": [{"at": "2026-11-11T21:00:00+08:00", "quantity": 2},
                         {"at": "2026-11-11T12:00:00Z", "quantity": 1}]}
            """);

    assertThat(policy.schedule().batches())
        .extracting(SalePolicy.PlannedBatch::quantity)
        .containsExactly(1, 2);
  }

  @Test
  void allProblemsAreToldAtOnce() {
    String json =
        """
        {"preset": "queue", "active_capacity": 0, "ready_slots": "1", "max_quantity": 1.5,
         "max_per_user": 99999999999, "purchase_token": true, "payment": "cash",
         "opens_at": "tomorrow", "unpaid_cooldown_seconds": -1, "purchase_window": 5,
         "batches": [{"at": "2026-11-11T12:00:00Z", "quantity": 0, "size": 1}, 7, {}]}
        """;

    assertThat(problems(json))
        .extracting(p -> p.field() + " " + p.problem())
        .containsExactlyInAnyOrder(
            "active_capacity out_of_range",
            "ready_slots out_of_range",
            "max_quantity out_of_range",
            "max_per_user out_of_range",
            "purchase_token not_one_of",
            "payment not_one_of",
            "opens_at not_instant",
            "unpaid_cooldown_seconds out_of_range",
            "purchase_window unknown_field_near",
            "batches[0].quantity out_of_range",
            "batches[0].size unknown_field",
            "batches[1] not_object",
            "batches[2].at not_instant",
            "batches[2].quantity out_of_range");
  }

  @Test
  void whatContradictsItselfIsRefused() {
    Map<String, String> wrong =
        Map.of(
            "{\"ready_slots\": 101}",
            "ready_slots out_of_range",
            "{\"opens_at\": \"2026-11-11T12:00:00Z\", \"closes_at\": \"2026-11-11T12:00:00Z\"}",
            "closes_at after",
            """
            {"opens_at": "2026-11-11T12:00:00Z",
             "batches": [{"at": "2026-11-11T11:00:00Z", "quantity": 1}]}
            """,
            "batches[0].at during_sale",
            "{\"preset\": \"fast\"}",
            "preset not_one_of",
            "{\"active_capacity\": null}",
            "active_capacity out_of_range",
            "[]",
            " not_object",
            "{\"preset\": \"queue\", \"preset\": \"flash\"}",
            " malformed_json",
            "{",
            " malformed_json");
    wrong.forEach(
        (json, problem) ->
            assertThat(problems(json))
                .as(json)
                .extracting(p -> p.field() + " " + p.problem())
                .containsExactly(problem));
  }

  @Test
  void everyProblemCanBeToldInWords() {
    assertThat(PolicyProblem.KEYS).allMatch(key -> Messages.has("invalid." + key));
  }

  @Property(tries = 300)
  void noTextMakesReadingFail(@ForAll("almostPolicies") String json) {
    switch (PolicyJson.read(json)) {
      case PolicyOutcome.Valid(SalePolicy policy) ->
          assertThat(valid(PolicyJson.write(policy))).isEqualTo(policy);
      case PolicyOutcome.Invalid(List<PolicyProblem> problems) -> assertThat(problems).isNotEmpty();
    }
  }

  @Provide
  Arbitrary<String> almostPolicies() {
    Arbitrary<String> field = Arbitraries.of(FIELDS);
    Arbitrary<String> value = Arbitraries.of(VALUES);
    return Arbitraries.maps(field, value)
        .ofMaxSize(6)
        .map(
            fields ->
                fields.entrySet().stream()
                    .map(e -> "\"" + e.getKey() + "\": " + e.getValue())
                    .reduce((a, b) -> a + ", " + b)
                    .map(text -> "{" + text + "}")
                    .orElse("{}"));
  }

  private static SalePolicy valid(String json) {
    return switch (PolicyJson.read(json)) {
      case PolicyOutcome.Valid(SalePolicy policy) -> policy;
      case PolicyOutcome.Invalid(List<PolicyProblem> problems) ->
          throw new AssertionError(problems.toString());
    };
  }

  private static List<PolicyProblem> problems(String json) {
    return switch (PolicyJson.read(json)) {
      case PolicyOutcome.Valid(SalePolicy policy) -> throw new AssertionError(policy.toString());
      case PolicyOutcome.Invalid(List<PolicyProblem> problems) -> problems;
    };
  }
}
