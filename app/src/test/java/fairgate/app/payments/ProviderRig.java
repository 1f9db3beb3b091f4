package fairgate.app.payments;

import fairgate.app.TestFairgate;
import java.util.List;
import java.util.Map;

/// A provider's fake as the contract drives it. Amounts are in minor units.
interface ProviderRig extends AutoCloseable {
  /// How the provider behaves towards calls of the server.
  enum Health {
    WELL,
    BROKEN,
    /// Acts, and answers with an error.
    FORGETFUL
  }

  Map<String, String> settings();

  void health(Health now);

  /// The buyer opens the payment page; returns the status of `/pay/{order}`.
  int open(Buyer buyer, String order);

  /// The buyer pays on the newest page of the order. False when the provider does not take money
  /// for it any more.
  boolean pay(String order, long amount);

  /// Money comes although the order was closed. False when the provider excludes it.
  boolean payLate(TestFairgate server, Buyer buyer, String order, long amount);

  /// A second payment comes for an order whose page was opened twice. False when the provider
  /// excludes it.
  boolean payAgain(String order, long amount);

  /// A card is declined on the newest page.
  void decline(String order);

  /// The provider tells the server about the newest try, or the buyer comes back; whether the
  /// server took it.
  boolean tell(TestFairgate server, Buyer buyer, String order);

  /// Somebody else tells that the order was paid; whether the server took it.
  boolean forge(TestFairgate server, Buyer buyer, String order);

  /// The provider tells, correctly signed, of a payment of another shop on the same account;
  /// whether the server took it. Providers without messages say true.
  ///
  /// @param named the other shop's name of its order
  boolean tellOfAnotherShop(TestFairgate server, String named);

  /// Price and currency, as JSON, that the provider never takes; empty for none.
  String impossiblePrice();

  /// Whether the provider reports refunds of its back office and disputes.
  default boolean reportsReversals() {
    return false;
  }

  /// Tells of all that went back of the order's payment; whether the server took it.
  default boolean tellRefunded(TestFairgate server, String order, long total) {
    throw new UnsupportedOperationException();
  }

  /// Tells of a dispute of the whole payment; whether the server took it.
  ///
  /// @param state `open`, `won` or `lost`
  default boolean tellDispute(TestFairgate server, String order, String dispute, String state) {
    throw new UnsupportedOperationException();
  }

  /// An old message of the provider comes again; whether the server took it. A provider whose
  /// messages have no time may say true.
  boolean replayOld(TestFairgate server, Buyer buyer, String order);

  /// Amounts that went back.
  List<Long> refunds(String order);

  Traits traits();

  /// How providers differ.
  ///
  /// @param closes whether the provider refuses payments of closed orders
  /// @param tellsRefund whether the server can tell the outcome of a refund whose reply was lost,
  ///   within the test
  /// @param hasTries whether tries are listed in the order
  record Traits(boolean closes, boolean tellsRefund, boolean hasTries) {}

  @Override
  void close();
}
