package fairgate;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.NaiveOrders.Order;
import fairgate.NaiveSale.Place;
import fairgate.platform.redis.RedisReply;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Compares a sale on Redis with its naive model, and looks at the invariants on Redis alone.
final class ModelCheck {
  private final SaleWorld world;
  private final NaiveSale model;
  private final List<String> arrivals = new ArrayList<>();
  private final List<String> admissions = new ArrayList<>();
  private final Set<String> again = new HashSet<>();

  ModelCheck(SaleWorld world, NaiveSale model) {
    this.world = world;
    this.model = model;
  }

  void all(String after) {
    List<Future<RedisReply>> asked = new ArrayList<>();
    asked.add(world.scripts().live());
    asked.add(range(world.keys().waiting()));
    asked.add(range(world.keys().active()));
    asked.add(range(world.keys().ready()));
    asked.add(world.redis().send("HKEYS", world.keys().devices()));
    asked.add(world.redis().send("HVALS", world.keys().devices()));
    List<Place> places = List.copyOf(model.places.values());
    for (Place place : places) {
      String key = world.keys().session(place.buyer.session());
      asked.add(world.redis().send("HMGET", key, "queue_status", "ended", "order"));
      asked.add(world.redis().send("GET", world.keys().userBought(place.buyer.user())));
      asked.add(world.redis().send("GET", world.keys().deviceBought(place.buyer.device())));
    }
    List<RedisReply> said = Future.all(asked).map(done -> done.<RedisReply>list()).await();
    counters(after, SaleScripts.counters(said.getFirst()));
    queues(after, said.get(1).texts(), said.get(2).texts(), said.get(3).texts());
    devices(after, said.get(4).texts(), said.get(5).texts());
    for (int i = 0; i < places.size(); i++) {
      place(after, places.get(i), said.subList(6 + 3 * i, 9 + 3 * i));
    }
    orders(after);
  }

  private Future<RedisReply> range(String key) {
    return world.redis().send("ZRANGE", key, "0", "-1");
  }

  private void counters(String after, List<String> live) {
    long[] numbers = live.subList(1, 5).stream().mapToLong(Long::parseLong).toArray();
    assertThat(numbers[0] + numbers[2] + numbers[3])
        .as("%s: free + held + confirmed = released", after)
        .isEqualTo(numbers[1]);
    List<Object> expected =
        List.of(
            model.state,
            model.stock,
            model.released,
            model.held,
            model.confirmed,
            model.waiting.size(),
            model.active.size(),
            model.ready.size(),
            model.purchases.size(),
            model.orders.pending(),
            model.joined,
            model.admitted,
            model.missed,
            model.turns,
            model.batch,
            model.seq);
    assertThat(live.subList(0, 16))
        .as("%s: live counters", after)
        .isEqualTo(expected.stream().map(Object::toString).toList());
    assertThat(live.get(20)).as("%s: outbox entries", after).isEqualTo(live.get(15));
  }

  private void queues(String after, List<String> waiting, List<String> active, List<String> ready) {
    assertThat(waiting).as("%s: waiting", after).isEqualTo(ids(model.waiting));
    assertThat(active).as("%s: active", after).isEqualTo(ids(model.active));
    assertThat(ready).as("%s: ready", after).hasSize(model.ready.size());
    assertThat(active.subList(0, ready.size()))
        .as("%s: the ready ones are the foremost of active", after)
        .containsExactlyInAnyOrderElementsOf(ready);
    assertThat(active).as(after).hasSizeLessThanOrEqualTo(model.rules.capacity());
    assertThat(ready).as(after).hasSizeLessThanOrEqualTo(model.rules.slots());
    List<String> everybody = new ArrayList<>(waiting);
    everybody.addAll(active);
    assertThat(everybody).as("%s: nobody stands twice", after).doesNotHaveDuplicates();
    // Those that were seated behind others have arrived a second time.
    model.places.values().stream()
        .filter(place -> !place.decision.isEmpty())
        .map(Place::id)
        .forEach(again::add);
    arrivals.removeAll(again);
    admissions.removeAll(again);
    waiting.stream()
        .filter(id -> !again.contains(id) && !arrivals.contains(id))
        .forEach(arrivals::add);
    active.stream()
        .filter(id -> !again.contains(id) && !admissions.contains(id))
        .forEach(admissions::add);
    List<String> inOrder = arrivals.stream().filter(admissions::contains).toList();
    assertThat(admissions).as("%s: admission is in order of arrival", after).isEqualTo(inOrder);
  }

  private static List<String> ids(List<Place> places) {
    return places.stream().map(Place::id).toList();
  }

  private void devices(String after, List<String> names, List<String> values) {
    Map<String, String> devices = new HashMap<>();
    for (int i = 0; i < names.size(); i++) {
      devices.put(names.get(i), values.get(i));
    }
    assertThat(devices).as("%s: index of places", after).isEqualTo(model.index());
    List<String> live =
        model.places.values().stream().filter(Place::live).map(p -> p.buyer.device()).toList();
    assertThat(live).as("%s: one live place per device", after).doesNotHaveDuplicates();
  }

  private void place(String after, Place place, List<RedisReply> said) {
    assertThat(said.getFirst().texts())
        .as("%s: %s", after, place.id())
        .startsWith(place.status, place.ended)
        .last()
        .isEqualTo(place.order);
    int user = model.bought(NaiveSale.user(place.buyer));
    int device = model.bought(NaiveSale.device(place.buyer));
    assertThat(number(said.get(1))).as("%s: units of the user", after).isEqualTo(user);
    assertThat(number(said.get(2))).as("%s: units of the device", after).isEqualTo(device);
    assertThat(model.rules.maxUser() == 0 || user <= model.rules.maxUser()).as(after).isTrue();
    assertThat(model.rules.maxDevice() == 0 || device <= model.rules.maxDevice())
        .as(after)
        .isTrue();
  }

  private static long number(RedisReply reply) {
    return reply.isNil() ? 0 : Long.parseLong(reply.text());
  }

  private void orders(String after) {
    long held = 0;
    long confirmed = 0;
    for (Order order : model.orders.all.values()) {
      List<String> said =
          world.send("HMGET", world.keys().order(order.id), "status", "quantity").texts();
      assertThat(said).as(after).containsExactly(order.status, Integer.toString(order.quantity));
      held += order.status.equals("pending") ? order.quantity : 0;
      confirmed += order.status.equals("paid") ? order.quantity : 0;
    }
    assertThat(List.of(held, confirmed))
        .as("%s: what orders hold and own", after)
        .containsExactly(model.held, model.confirmed);
  }
}
