package fairgate.gate.risk;

import fairgate.gate.risk.RiskEngine.Assessment;
import java.util.ArrayList;
import java.util.List;

/// Finds the remedies that help against a decision: judges the request again with the features that
/// a remedy changes, and keeps a remedy when the action is milder then.
///
/// Signing in counts as an account of 30 days, because the visitor may have one. `appeal` always
/// helps. See `docs/operate/risk.md` for the features of each remedy.
final class Remedies {
  private static final int MOST = 3;
  private static final long OLD_ACCOUNT_HOURS = 720;

  private static final FeatureSchema SCHEMA = FeatureSchema.latest();
  private static final Feature ROUTE = SCHEMA.feature("route");
  private static final Feature SIGNED_IN = SCHEMA.feature("signed_in");
  private static final Feature ACCOUNT_AGE = SCHEMA.feature("account_age_hours");
  private static final Feature EMAIL = SCHEMA.feature("email_verified");
  private static final Feature PHONE = SCHEMA.feature("phone_verified");
  private static final Feature PERSON = SCHEMA.feature("person_verified");
  private static final Feature PASSKEY = SCHEMA.feature("has_passkey");
  private static final Feature PAID = SCHEMA.feature("paid_orders");
  private static final Feature NETWORK_KIND = SCHEMA.feature("asn_class");
  private static final Feature USER_AGENT = SCHEMA.feature("user_agent_kind");
  private static final Feature KEY_PRESENT = SCHEMA.feature("device_key_present");
  private static final Feature KEY_CHANGED = SCHEMA.feature("device_key_changed");

  private static final List<Feature> OF_UNPAID_ORDERS =
      features("unpaid_orders", "cancelled_orders");
  private static final List<Feature> OF_NETWORK =
      features(
          "network_hosting",
          "network_mobile",
          "network_proxy",
          "network_vpn",
          "network_tor",
          "network_allowed");

  /// Counts of the address and its network.
  private static final List<Feature> OF_CROWD =
      features(
          "devices_of_address",
          "devices_of_network",
          "joins_of_address",
          "joins_of_network",
          "joins_of_site",
          "joins_of_asn",
          "joins_of_address_hour",
          "joins_of_network_hour",
          "failures_of_address",
          "joins_equal_interval");

  private static final List<Feature> OF_BROWSER =
      features(
          "accept_language_missing",
          "sec_fetch_missing",
          "http_version_mismatch",
          "ja4_mismatch",
          "header_order_mismatch",
          "device_key_invalid",
          "webdriver",
          "challenge_too_fast",
          "challenge_same_ms");

  /// What the server forgets within an hour.
  private static final List<Feature> OF_LAST_HOUR =
      features(
          "country_changed",
          "fingerprint_failures",
          "challenge_same_ms",
          "polls_too_early",
          "requests_of_device",
          "sales_joined");

  private final CompiledBundle bundle;
  private final Assessment assessment;
  private final Features features;

  private Remedies(CompiledBundle bundle, Assessment assessment, Features features) {
    this.bundle = bundle;
    this.assessment = assessment;
    this.features = features;
  }

  private static List<Feature> features(String... names) {
    return List.of(names).stream().map(SCHEMA::feature).toList();
  }

  /// The remedies of these rules that help, in their order, at most three: those that help alone,
  /// or, when none does, those that help together.
  ///
  /// @param features of the latest schema
  static List<Remedy> of(
      CompiledBundle bundle,
      Assessment assessment,
      Features features,
      List<RiskBundle.Rule> against) {
    Remedies remedies = new Remedies(bundle, assessment, features);
    List<Remedy> offered =
        against.stream()
            .flatMap(rule -> rule.remedies().stream())
            .distinct()
            .filter(remedy -> !remedies.isDone(remedy))
            .toList();
    List<Remedy> helping = remedies.helping(offered);
    return offered.stream()
        .filter(
            remedy ->
                remedy == Remedy.APPEAL
                    || helping.contains(remedy)
                    || (remedy == Remedy.SIGN_IN
                        && helping.stream().anyMatch(Remedies::isOfAccount)))
        .limit(MOST)
        .toList();
  }

  private List<Remedy> helping(List<Remedy> offered) {
    List<Remedy> computed = offered.stream().filter(one -> one != Remedy.APPEAL).toList();
    List<Remedy> alone = computed.stream().filter(one -> help(List.of(one))).limit(MOST).toList();
    if (!alone.isEmpty() || computed.size() < 2 || !help(computed)) {
      return alone;
    }
    List<Remedy> needed = new ArrayList<>(computed);
    for (Remedy last : computed.reversed()) {
      List<Remedy> without = needed.stream().filter(one -> one != last).toList();
      if (help(without)) {
        needed = without;
      }
    }
    return needed.size() <= MOST ? needed : List.of();
  }

  private boolean help(List<Remedy> remedies) {
    Features.Builder changed = features.toBuilder();
    remedies.forEach(remedy -> apply(remedy, changed));
    RiskAction action = RiskEngine.assess(bundle, changed.build()).action();
    return action.compareTo(assessment.action()) < 0;
  }

  private boolean isDone(Remedy remedy) {
    return switch (remedy) {
      case SIGN_IN -> features.flag(SIGNED_IN);
      case VERIFY_EMAIL -> features.flag(EMAIL);
      case VERIFY_PHONE -> features.flag(PHONE);
      case VERIFY_PERSON -> features.flag(PERSON);
      case ADD_PASSKEY -> features.flag(PASSKEY);
      case PAY_ORDERS, OTHER_NETWORK, CURRENT_BROWSER, WAIT, APPEAL -> false;
    };
  }

  /// Whether a guest signs in first.
  private static boolean isOfAccount(Remedy remedy) {
    return switch (remedy) {
      case VERIFY_EMAIL, VERIFY_PHONE, VERIFY_PERSON, ADD_PASSKEY -> true;
      case SIGN_IN, PAY_ORDERS, OTHER_NETWORK, CURRENT_BROWSER, WAIT, APPEAL -> false;
    };
  }

  private void apply(Remedy remedy, Features.Builder to) {
    if (isOfAccount(remedy)) {
      to.set(SIGNED_IN, true);
    }
    switch (remedy) {
      case SIGN_IN -> to.set(SIGNED_IN, true).set(ACCOUNT_AGE, OLD_ACCOUNT_HOURS);
      case VERIFY_EMAIL -> to.set(EMAIL, true);
      case VERIFY_PHONE -> to.set(PHONE, true);
      case VERIFY_PERSON -> to.set(PERSON, true);
      case ADD_PASSKEY -> to.set(PASSKEY, true);
      case PAY_ORDERS -> {
        OF_UNPAID_ORDERS.forEach(to::clear);
        to.set(PAID, Math.max(1, features.number(PAID)));
      }
      case OTHER_NETWORK -> {
        OF_NETWORK.forEach(to::clear);
        OF_CROWD.forEach(to::clear);
        to.set(NETWORK_KIND, "");
      }
      case CURRENT_BROWSER -> {
        OF_BROWSER.forEach(to::clear);
        to.set(USER_AGENT, "browser").set(KEY_PRESENT, true);
      }
      case WAIT -> {
        OF_LAST_HOUR.forEach(to::clear);
        OF_CROWD.forEach(to::clear);
        if (!features.text(ROUTE).equals(RiskRoute.PURCHASE.word())) {
          // The next request has the key of this one. A place keeps the key of its join.
          to.clear(KEY_CHANGED);
        }
      }
      case APPEAL -> {}
    }
  }
}
