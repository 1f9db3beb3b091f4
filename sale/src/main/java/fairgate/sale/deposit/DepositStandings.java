package fairgate.sale.deposit;

import fairgate.catalog.Product;
import fairgate.catalog.SaleKeys;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Request;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
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

  /// What the page of a sale shows; empty for a sale without deposits, unless the place has one.
  ///
  /// @param place the visitor's place in this sale; null for none
  /// @param isLive whether the place has not ended
  Future<Optional<Standing>> find(
      Request request, ProductId id, @Nullable SessionId place, boolean isLive) {
    Product product = ports.catalog().apply(id).orElse(null);
    if (product == null) {
      return Future.succeededFuture(Optional.empty());
    }
    boolean asks = product.policy().payment().deposit() != null;
    if (asks && (place == null || !isLive)) {
      return withoutPlace(request, product).map(Optional::of);
    }
    return place == null
        ? Future.succeededFuture(Optional.empty())
        : ofPlace(id, place)
            .map(
                deposit ->
                    asks || deposit.isPresent()
                        ? Optional.of(new Standing(deposit.orElse(null), false))
                        : Optional.empty());
  }

  private Future<Standing> withoutPlace(Request request, Product product) {
    ProductId id = product.id();
    return look(request, id)
        .compose(
            prospect -> {
              if (!prospect.deposit().isEmpty()) {
                return store
                    .find(new OrderId(prospect.deposit()))
                    .map(free -> new Standing(free.orElse(null), false));
              }
              boolean isRefused = prospect.refusal().isPresent();
              return newestOf(request, id, isRefused || product.isByDraw())
                  .map(newest -> new Standing(newest, !isRefused));
            });
  }

  private Future<DepositFeature.Prospect> look(Request request, ProductId id) {
    return ports
        .buyers()
        .userOf(request, id)
        .compose(user -> ports.joins().look(request, id, user.orElse(null)))
        .compose(prospect -> whileDrawn(prospect, id));
  }

  /// The deposit of a draw is paid while people can enter it.
  private Future<DepositFeature.Prospect> whileDrawn(
      DepositFeature.Prospect prospect, ProductId id) {
    boolean isByDraw = ports.catalog().apply(id).filter(Product::isByDraw).isPresent();
    return !isByDraw || prospect.refusal().isPresent()
        ? Future.succeededFuture(prospect)
        : store
            .isDrawOpen(id)
            .map(
                isOpen ->
                    isOpen
                        ? prospect
                        : new DepositFeature.Prospect(
                            Optional.of(Refusal.of(ErrorCode.SALE_BY_DRAW)), ""));
  }

  /// The newest deposit that the sender of a request has paid in a sale, if Redis knows it still:
  /// one that has ended as well. Never blocks.
  public Future<Optional<Deposit>> newestOf(Request request, ProductId id) {
    return newestOf(request, id, false).map(Optional::ofNullable);
  }

  /// @param open whether to look for an open one first: no place may have it
  private Future<@Nullable Deposit> newestOf(Request request, ProductId id, boolean open) {
    return ports
        .payment()
        .usersOf(request, id)
        .compose(
            users ->
                open
                    ? store
                        .findOpen(id, users)
                        .compose(
                            found ->
                                found.isPresent()
                                    ? Future.succeededFuture(found)
                                    : newestPaid(id, users))
                    : newestPaid(id, users))
        .map(found -> found.orElse(null));
  }

  private Future<Optional<Deposit>> newestPaid(ProductId id, List<String> users) {
    if (users.isEmpty()) {
      return Future.succeededFuture(Optional.empty());
    }
    List<String> args = new ArrayList<>(List.of(SaleKeys.of(id, style).deposits()));
    args.addAll(users);
    return redis
        .send("HMGET", args.toArray(String[]::new))
        .compose(
            reply ->
                reply.texts().stream()
                    .filter(text -> !text.isEmpty())
                    .findFirst()
                    .map(text -> store.find(new OrderId(text.split(" ", -1)[0])))
                    .orElseGet(() -> Future.succeededFuture(Optional.empty())));
  }

  /// The deposit of a place, also of one that has ended; empty for none, and when Redis no longer
  /// knows the place. Never blocks.
  public Future<Optional<Deposit>> ofPlace(ProductId id, SessionId place) {
    return redis
        .send("HGET", SaleKeys.of(id, style).session(place), "deposit")
        .compose(
            reply -> {
              String[] words = reply.isNil() ? new String[0] : reply.text().split(" ", -1);
              return words.length == 0
                  ? Future.succeededFuture(Optional.<Deposit>empty())
                  : store.find(new OrderId(words[0]));
            });
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
    return holder(deposit).map(FREE::equals);
  }

  /// The session of the place or of the draw's entry that has a paid deposit; empty for none, and
  /// after the place has an order.
  Future<Optional<SessionId>> place(Deposit deposit) {
    if (deposit.state() != Deposit.State.PAID || deposit.isEntered()) {
      return Future.succeededFuture(Optional.ofNullable(deposit.entry()));
    }
    return holder(deposit)
        .map(word -> Optional.of(word).filter(SessionId::isValid).map(SessionId::new));
  }

  /// The holder of a deposit, in the words of `SaleKeys#deposits`.
  private Future<String> holder(Deposit deposit) {
    String deposits = SaleKeys.of(deposit.id().product(), style).deposits();
    return redis
        .send("HGET", deposits, deposit.id().value())
        .map(holder -> holder.isNil() ? FREE : holder.text());
  }
}
