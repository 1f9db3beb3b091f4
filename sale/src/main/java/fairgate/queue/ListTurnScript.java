package fairgate.queue;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.ProductId;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// Keeps the order between the queue of a sale and its waiting list, by the time at which somebody
/// began to wait. Calls `list_turn.lua`.
public final class ListTurnScript {
  private static final LuaScript SCRIPT = LuaScript.load(ListTurnScript.class, "list_turn.lua");

  private static final Registration NOBODY = new Registration(Instant.EPOCH, Seat.IN_ORDER);

  private final RedisClient redis;
  private final SaleKeys.Style keyStyle;

  ListTurnScript(RedisClient redis, SaleKeys.Style keyStyle) {
    this.redis = redis;
    this.keyStyle = keyStyle;
  }

  /// A person on a list.
  ///
  /// @param since the registration
  public record Registration(Instant since, Seat seat) {
    private void addTo(List<String> args) {
      args.add(Long.toString(since.toEpochMilli()));
      args.add(seat.wire());
    }
  }

  /// The people on a list, for the places that come after them.
  ///
  /// @param some the first person, and others at equal distances
  public record Registrations(long people, List<Registration> some) {}

  /// Tells the queue who is first on the list: who joined later is not admitted until the next
  /// notice. It is called every second.
  ///
  /// @param units that the person wishes
  /// @return whether the turn of this person has come
  public Future<Boolean> first(
      ProductId product, Registration first, int units, Registrations list) {
    List<String> args = new ArrayList<>();
    first.addTo(args);
    args.add(Integer.toString(units));
    args.add(Long.toString(list.people()));
    list.some().forEach(each -> each.addTo(args));
    SaleKeys keys = SaleKeys.of(product, keyStyle);
    return redis
        .run(SCRIPT, List.of(keys.sale(), keys.waiting(), keys.active(), keys.stock()), args)
        .map(reply -> reply.text().equals("TURN"));
  }

  public Future<Boolean> nobody(ProductId product) {
    return first(product, NOBODY, 0, new Registrations(0, List.of()));
  }
}
