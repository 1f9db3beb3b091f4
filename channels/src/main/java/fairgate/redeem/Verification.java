package fairgate.redeem;

import fairgate.redeem.ClaimOutcome.Reason;
import fairgate.redeem.orders.KnownOrder;
import fairgate.redeem.orders.OrderNumberFormats;
import fairgate.redeem.orders.OrderSources;
import fairgate.redeem.orders.OrderSources.OrderLookup;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Decides whether an order may be redeemed. Redemptions and imported orders come first, then the
/// other sources. Blocks; holds no database transaction during calls to them.
record Verification(
    PostgresStoredOrders storedOrders,
    OrderSources sources,
    RedeemProducts products,
    InstantSource clock) {
  private static final Logger LOG = LoggerFactory.getLogger(Verification.class);

  /// @param platforms those the number may belong to
  Result of(String orderId, String productId, List<String> platforms) {
    List<String> asked = new ArrayList<>(platforms);
    asked.add(OrderNumberFormats.REMOTE);
    List<StoredOrder> known = storedOrders.find(orderId, asked);
    if (known.isEmpty() && hasLetters(orderId)) {
      Optional<String> written = storedOrders.otherCase(orderId, asked);
      if (written.isPresent()) {
        return known(storedOrders.find(written.get(), asked), productId, false)
            .orElseGet(() -> new Result.Rejected(Reason.ORDER_NOT_FOUND));
      }
    }
    return known(known, productId, true).orElseGet(() -> elsewhere(orderId, productId, platforms));
  }

  private static boolean hasLetters(String orderId) {
    return orderId.chars().anyMatch(Character::isLetter);
  }

  /// The result from the database. Empty if the database does not have the order, or the order is
  /// an unredeemed one of this server.
  ///
  /// @param asWritten whether the number is stored in the requested case
  private Optional<Result> known(List<StoredOrder> known, String productId, boolean asWritten) {
    List<StoredOrder> wanted =
        known.stream().filter(standing -> standing.productId().equals(productId)).toList();
    // Where all that is known of the order was redeemed, a wrong product changes nothing.
    List<StoredOrder> decisive =
        wanted.isEmpty() && known.stream().allMatch(standing -> standing.redeemed() != null)
            ? known
            : wanted;
    for (StoredOrder standing : decisive) {
      if (standing.redeemed() != null) {
        return Optional.of(
            new Result.Redeemed(standing.redeemed(), asWritten && !wanted.isEmpty()));
      }
    }
    List<KnownOrder> orders =
        known.stream().map(StoredOrder::order).filter(Objects::nonNull).toList();
    List<String> places = orders.stream().map(KnownOrder::platform).distinct().toList();
    if (places.size() > 1) {
      return Optional.of(new Result.Ambiguous(places));
    }
    boolean waiting = wanted.stream().anyMatch(StoredOrder::waiting);
    return orders.stream()
        .filter(order -> order.productId().equals(productId))
        .findFirst()
        .or(() -> orders.stream().findFirst())
        .map(order -> judged(order, true, waiting, productId));
  }

  private Result elsewhere(String orderId, String productId, List<String> platforms) {
    boolean own = platforms.contains(OrderNumberFormats.OWN);
    return switch (sources.find(orderId, own)) {
      case OrderLookup.Found(KnownOrder order) ->
          own || (platforms.contains(order.platform()) && order.orderId().equals(orderId))
              ? judged(order, own, own, productId)
              : foundOn(order, orderId, productId);
      case OrderLookup.Unknown() -> new Result.Rejected(Reason.ORDER_NOT_FOUND);
      case OrderLookup.Unreadable _ -> new Result.Rejected(Reason.ORDER_UNREADABLE);
      case OrderLookup.Unavailable(String reason, var retryAfter) -> {
        LOG.debug("Could not verify an order; reason={}", reason);
        yield new Result.Unavailable(retryAfter);
      }
    };
  }

  /// The order system may return another platform than the number's format suggests, or another
  /// case. The stored data has that platform and case.
  private Result foundOn(KnownOrder order, String orderId, String productId) {
    List<StoredOrder> known = storedOrders.find(order.orderId(), List.of(order.platform()));
    return known(known, productId, order.orderId().equals(orderId))
        .orElseGet(() -> judged(order, false, false, productId));
  }

  /// @param coded whether there is a code for it, should its product give sellers' codes only;
  ///   there always is for orders of this server's own
  private Result judged(KnownOrder order, boolean stored, boolean coded, String productId) {
    Reason problem = problem(order, productId);
    if (problem != null) {
      return new Result.Rejected(problem);
    }
    return products
        .find(productId)
        .<Result>map(
            product ->
                coded || !product.sellersOnly()
                    ? new Result.Accepted(order, stored, product)
                    : new Result.NoCode())
        .orElseGet(() -> new Result.Rejected(Reason.PRODUCT_NOT_FOUND));
  }

  private @Nullable Reason problem(KnownOrder order, String productId) {
    return switch (order.state()) {
      case UNPAID -> Reason.ORDER_NOT_PAID;
      case REVOKED -> Reason.ORDER_REVOKED;
      case PAID -> {
        Instant expiry = order.expiresAt();
        if (!order.productId().equals(productId)) {
          yield Reason.ORDER_PRODUCT_MISMATCH;
        }
        yield expiry == null || expiry.isAfter(clock.instant()) ? null : Reason.ORDER_EXPIRED;
      }
    };
  }

  sealed interface Result {
    /// The order was redeemed.
    ///
    /// @param exactly whether number and product are those of the request
    record Redeemed(StoredOrder.Redeemed by, boolean exactly) implements Result {}

    /// The order may be redeemed.
    ///
    /// @param stored whether the database has the order
    record Accepted(KnownOrder order, boolean stored, RedeemProduct product) implements Result {}

    /// The order may be redeemed once its seller provides a code.
    record NoCode() implements Result {}

    record Rejected(ClaimOutcome.Reason reason) implements Result {}

    /// Several platforms have an order of this number.
    record Ambiguous(List<String> platforms) implements Result {}

    record Unavailable(Duration retryAfter) implements Result {}
  }

  /// The stored data of one product of an order: the order, unless it is one of this server's own,
  /// and its redemption, if there is one.
  ///
  /// @param waiting whether a seller's code is reserved for it
  record StoredOrder(
      String platform,
      String productId,
      @Nullable KnownOrder order,
      boolean waiting,
      @Nullable Redeemed redeemed) {
    /// A redemption, and the code now in force.
    ///
    /// @param device keyed hash of the browser that claimed
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    record Redeemed(
        String deviceId,
        String device,
        String codeState,
        String keyId,
        byte[] hash,
        byte[] box,
        @Nullable Instant expiresAt,
        @Nullable Integer durationDays) {}
  }
}
