package fairgate.crowd.rehearsal;

import static fairgate.crowd.rehearsal.BuyerIdentity.DEVICE;
import static fairgate.crowd.rehearsal.BuyerIdentity.PHONE;

import java.util.List;
import java.util.function.ToDoubleFunction;

/// One line of the contract: a value that must not exceed its bound.
///
/// @param crowd the letter of the crowd
/// @param text for reports, before the bound
/// @param needsAllowList whether it holds only if the crowd's address is allow-listed
record Bound(
    char crowd,
    BuyerIdentity identity,
    String text,
    ToDoubleFunction<CrowdResult> value,
    double most,
    boolean needsAllowList) {

  /// The contract.
  static final List<Bound> ALL =
      List.of(
          bound('a', DEVICE, "units of 100", CrowdResult::units, 5),
          bound('a', PHONE, "units of 100", CrowdResult::units, 2),
          bound('b', DEVICE, "units of 1,000", CrowdResult::units, 50),
          bound('b', PHONE, "units of 1,000", CrowdResult::units, 2),
          bound('c', DEVICE, "places, for 500 browsers and addresses", CrowdResult::places, 500),
          bound('c', PHONE, "places, for 500 numbers", CrowdResult::places, 500),
          bound('d', PHONE, "places that bought, for 50 numbers", CrowdResult::buyers, 50),
          bound('d', PHONE, "units, at 2 a number", CrowdResult::units, 100),
          bound('f', DEVICE, "longest delay of an honest visitor, s", r -> r.delay(100), 25),
          bound('f', PHONE, "longest delay of an honest visitor, s", r -> r.delay(100), 25),
          bound('g', DEVICE, "people who did not get in", Bound::outside, 0).ifAllowed(),
          bound('g', DEVICE, "% challenged twice", Bound::challengedTwice, 0.5).ifAllowed(),
          bound('g', PHONE, "people who did not get in", Bound::outside, 0),
          bound('g', PHONE, "% challenged twice", Bound::challengedTwice, 0.5),
          bound('h', DEVICE, "people refused", r -> CrowdResult.refused(r.people()), 0),
          bound('h', DEVICE, "% challenged twice", Bound::challengedTwice, 0.5),
          bound('h', PHONE, "people refused", r -> CrowdResult.refused(r.people()), 0),
          bound('h', PHONE, "% challenged twice", Bound::challengedTwice, 0.5));

  private static Bound bound(
      char crowd,
      BuyerIdentity identity,
      String text,
      ToDoubleFunction<CrowdResult> value,
      double most) {
    return new Bound(crowd, identity, text, value, most, false);
  }

  private Bound ifAllowed() {
    return new Bound(crowd, identity, text, value, most, true);
  }

  private static double outside(CrowdResult result) {
    return result.people().size() - CrowdResult.gotIn(result.people());
  }

  private static double challengedTwice(CrowdResult result) {
    return 100.0 * CrowdResult.challengedTwice(result.people()) / result.people().size();
  }
}
