package fairgate.sale.deposit;

import fairgate.catalog.Product;
import fairgate.catalog.SaleKeys;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Request;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What pages tell visitors about their deposits. Never blocks.
public final class DepositStandings {
  private static final String FREE = "free";

  private final RedisClient redis;
  private final SaleKeys.Style style;
  private final PostgresDeposits store;
  private final DepositFeature.Ports ports;

  DepositStandings(
      RedisClient redis, SaleKeys.Style style, PostgresDeposits store, DepositFeature.Ports ports) {
    this.redis = redis;
    this.style = style;
    this.store = store;
    this.ports = ports;
  }

  /// The deposit of a visitor in a sale that asks for one.
  ///
  /// @param deposit null for none
  /// @param offered whether a deposit would give the visitor a place
  record Standing(@Nullable Deposit deposit, boolean offered) {}

  /// What the page of a sale shows; empty for a sale without deposits.
  ///
  /// @param place the visitor's place in this sale; null for none
  /// @param isLive whether the place has not ended
  Future<Optional<Standing>> find(
      Request request, ProductId id, @Nullable SessionId place, boolean isLive) {
    Product product = ports.catalog().apply(id).orElse(null);
    if (product == null || product.policy().payment().deposit() == null) {
      return Future.succeededFuture(Optional.empty());
    }
    Future<Standing> standing =
        place != null && isLive
            ? ofPlace(id, place).map(deposit -> new Standing(deposit, false))
            : withoutPlace(request, product, place);
    return standing.map(Optional::of);
  }

  private Future<Standing> withoutPlace(
      Request request, Product product, @Nullable SessionId ended) {
    ProductId id = product.id();
    return look(request, id)
        .compose(
            prospect -> {
              if (!prospect.deposit().isEmpty()) {
                return store
                    .find(new OrderId(prospect.deposit()))
                    .map(free -> new Standing(free.orElse(null), false));
              }
              if (product.isByDraw() || prospect.refusal().isPresent()) {
                return openOf(request, id)
                    .map(open -> new Standing(open, prospect.refusal().isEmpty()));
              }
              return (ended == null
                      ? Future.<@Nullable Deposit>succeededFuture(null)
                      : ofPlace(id, ended))
                  .map(deposit -> new Standing(deposit, true));
            });
  }

  /// The prospect of the sender of a request.
  private Future<DepositFeature.Prospect> look(Request request, ProductId id) {
    return ports
        .buyers()
        .userOf(request, id)
        .compose(user -> ports.joins().look(request, id, user.orElse(null)));
  }

  private Future<@Nullable Deposit> openOf(Request request, ProductId id) {
    return ports
        .payment()
        .usersOf(request, id)
        .compose(users -> store.findOpen(id, users))
        .map(open -> open.orElse(null));
  }

  private Future<@Nullable Deposit> ofPlace(ProductId id, SessionId place) {
    return redis
        .send("HGET", SaleKeys.of(id, style).session(place), "deposit")
        .compose(
            reply -> {
              String[] words = reply.isNil() ? new String[0] : reply.text().split(" ", -1);
              return words.length == 0
                  ? Future.succeededFuture(Optional.<Deposit>empty())
                  : store.find(new OrderId(words[0]));
            })
        .map(deposit -> deposit.orElse(null));
  }

  /// Why the sender of a request could not join with a deposit; empty if it could.
  public Future<Optional<Refusal>> refusal(Request request, ProductId id) {
    return look(request, id).map(DepositFeature.Prospect::refusal);
  }

  /// Whether no place and no entry of a draw has a paid deposit.
  public Future<Boolean> isFree(Deposit deposit) {
    if (deposit.state() != Deposit.State.PAID || deposit.isEntered()) {
      return Future.succeededFuture(false);
    }
    String deposits = SaleKeys.of(deposit.id().product(), style).deposits();
    return redis
        .send("HGET", deposits, deposit.id().value())
        .map(holder -> holder.isNil() || holder.text().equals(FREE));
  }
}
