package fairgate;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.NaiveOrders.Order;
import fairgate.NaiveSale.Place;
import fairgate.SaleScripts.Buy;
import fairgate.SaleScripts.Join;
import fairgate.platform.redis.RedisReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// One random sequence of steps, taken on Redis and on the naive model at once. After every step
/// the two are compared in full and the invariants are looked at.
public final class ModelRun {
  /// What can happen.
  public enum Op {
    JOIN,
    JOIN_AGAIN,
    LEAVE,
    ADMIT,
    EXPIRE,
    STATUS,
    WINDOW_PASSES,
    PRESENCE_LOST,
    MOVE_BEHIND,
    COOLDOWN_ENDS,
    PAUSE,
    OPEN,
    CLOSE,
    STOCK,
    ISSUE,
    BUY,
    BUY_AGAIN,
    CONFIRM,
    RELEASE,
    PAY_WINDOW_PASSES
  }

  /// One step; the numbers choose among whom and what there is.
  public record Step(Op op, int a, int b, int c) {}

  private static final int DEVICES = 6;

  private final SaleWorld world;
  private final NaiveSale model;
  private final ModelCheck check;
  private final Consumer<String> said;
  private final List<Buyer> people = new ArrayList<>();
  private final List<Buy> buys = new ArrayList<>();
  private int decisions;

  /// A fresh sale with rules chosen by the number.
  ///
  /// @param said hears what was answered to what, so that a test can tell what it has seen
  public ModelRun(int choice, Consumer<String> said) {
    this.said = said;
    boolean flash = choice % 2 == 1;
    NaiveRules rules =
        new NaiveRules(
            1 + choice % 5,
            flash ? 1 + choice % 5 : 1 + choice % 2,
            flash ? 2 : 1,
            choice % 3,
            choice % 4 == 3 ? 2 : 0,
            flash && choice % 7 < 5,
            choice % 3 != 0,
            choice % 5 > 1);
    this.world =
        SaleWorld.open(
            0,
            "window_ms 3600000 cooldown_s 3600 token_ttl_ms " + (rules.token() ? 3_600_000 : 0),
            "capacity " + rules.capacity() + " slots " + rules.slots(),
            "max_quantity " + rules.maxQuantity(),
            "max_user " + rules.maxUser() + " max_device " + rules.maxDevice(),
            "token " + (rules.token() ? 1 : 0),
            "payment " + (rules.pays() ? 1 : 0) + " payment_ms 3600000",
            "presence_ms " + (rules.presence() ? 600_000 : 0));
    this.model = new NaiveSale(rules, world.product().value());
    this.check = new ModelCheck(world, model);
  }

  /// Takes all steps, in a sale where somebody is ready already.
  public void run(List<Step> steps) {
    List<Step> all = new ArrayList<>();
    all.add(new Step(Op.STOCK, 2, 2, 0));
    for (int i = 0; i < 4; i++) {
      all.add(new Step(Op.JOIN, i, 0, i));
    }
    all.add(new Step(Op.ADMIT, 0, 0, 0));
    all.addAll(steps);
    for (Step step : all) {
      take(step);
      check.all(step.toString());
    }
  }

  private void take(Step step) {
    switch (step.op()) {
      case JOIN -> join(step, "");
      case JOIN_AGAIN -> join(step, person(step.b()).session().value());
      case LEAVE -> {
        Buyer buyer = person(step.a());
        same(step, world.scripts().leave(buyer).await().text(), model.leave(buyer));
      }
      case ADMIT -> admit(step);
      case EXPIRE -> {
        SaleScripts.Ended ended = world.scripts().expire(250).await();
        same(
            step,
            List.of("" + ended.missed(), "" + ended.closed()).toString(),
            model.expire().toString());
      }
      case STATUS -> {
        Buyer buyer = person(step.a());
        same(step, world.status(buyer), model.status(buyer));
      }
      case WINDOW_PASSES -> windowPasses(step);
      case PRESENCE_LOST -> presenceLost(step);
      case MOVE_BEHIND -> moveBehind(step);
      case COOLDOWN_ENDS -> cooldownEnds(step);
      case PAUSE -> turn(step, "paused");
      case OPEN -> turn(step, "open");
      case CLOSE -> turn(step, step.a() % 6 == 0 ? "closed" : "open");
      case STOCK -> stock(step);
      case ISSUE -> issue(step);
      case BUY -> buy(step, fresh(step));
      case BUY_AGAIN -> buy(step, buys.isEmpty() ? fresh(step) : again(step));
      case CONFIRM -> confirm(step);
      case RELEASE -> release(step);
      case PAY_WINDOW_PASSES -> payWindowPasses(step);
    }
  }

  private void same(Step step, String redis, String model) {
    said.accept(step.op() + " " + model.split("[ |]", -1)[0]);
    boolean longer = redis.length() > model.length() && !model.isEmpty();
    assertThat(longer ? redis.substring(0, model.length()) : redis)
        .as("%s: Redis says %s, the model %s", step, redis, model)
        .isEqualTo(model);
  }

  private Buyer person(int choice) {
    return people.isEmpty() ? world.buyer() : people.get(choice % people.size());
  }

  private void join(Step step, String named) {
    // Three people take turns at each device; one of them has no account.
    String account = step.c() % 3 == 0 ? "" : "user-" + (step.a() + step.c()) % 4;
    Buyer buyer = world.buyer("device-" + step.a() % DEVICES, account);
    String reply = world.scripts().join(List.of(new Join(buyer, named, ""))).await().textAt(0);
    same(step, reply, model.join(buyer, named));
    if (reply.startsWith("JOINED") || step.c() % 10 == 0) {
      people.add(buyer);
    }
  }

  private void admit(Step step) {
    List<String> reply = world.scripts().admit(250).await().texts();
    assertThat(reply.get(3)).as("more to do").isEqualTo("0");
    List<String> said = new ArrayList<>(reply.subList(1, 3));
    said.addAll(reply.subList(Math.min(SaleWorld.ADMIT_HEAD, reply.size()), reply.size()));
    same(step, said.toString(), model.admit().toString());
  }

  private void windowPasses(Step step) {
    if (!model.ready.isEmpty() && model.state.equals("open")) {
      Place place = model.ready.get(step.a() % model.ready.size());
      world.windowPasses(place.buyer);
      place.windowPassed = true;
    }
  }

  private void presenceLost(Step step) {
    if (!model.waiting.isEmpty()) {
      Place place = model.waiting.get(step.a() % model.waiting.size());
      // Longer than an unusual share of missing people is waited for.
      world.lastSeen(place.buyer, Duration.ofSeconds(1_300));
      world.reachableFor(Duration.ofSeconds(1_300));
      place.unseen = true;
    }
  }

  private void moveBehind(Step step) {
    Buyer buyer = chosen(step);
    String seat = step.c() % 4 == 0 ? "held" : "behind";
    String decision = "decision-" + ++decisions;
    String reply = world.scripts().moveBehind(buyer, decision, seat).await().text();
    same(step, reply, model.moveBehind(buyer, decision, seat));
  }

  private void cooldownEnds(Step step) {
    Buyer buyer = person(step.a());
    world.sent("DEL", world.keys().userCooldown(buyer.user()));
    world.sent("DEL", world.keys().deviceCooldown(buyer.device()));
    model.cooling.remove(NaiveSale.user(buyer));
    model.cooling.remove(NaiveSale.device(buyer));
  }

  private void turn(Step step, String state) {
    if (!model.state.equals("closed")) {
      same(step, world.configure(state), "APPLIED");
      model.state = state;
    }
  }

  private void stock(Step step) {
    int number = Math.max(1, model.batch + step.a() % 4 - 1);
    int units = 1 + step.b() % 3;
    String reply = world.scripts().stockBatch(number, units).await().text();
    same(step, reply, model.stockBatch(number, units));
  }

  private void issue(Step step) {
    Buyer buyer = step.b() % 4 > 0 ? chosen(step) : person(step.a());
    String token = "token-" + step.b() + "-" + buyer.session();
    String reply = world.scripts().issue(buyer, token).await().text();
    same(step, reply, model.issue(buyer, token));
  }

  /// Somebody whose turn it is, if it is anybody's.
  private Buyer chosen(Step step) {
    int turns = model.ready.size();
    return turns == 0 ? person(step.a()) : model.ready.get(step.a() % turns).buyer;
  }

  /// Most buyers are those whose turn it is; most of them bring the right token.
  private Buy fresh(Step step) {
    Buyer buyer = step.b() % 4 > 0 ? chosen(step) : person(step.a());
    if (model.rules.token() && step.b() % 8 > 1) {
      issue(step);
    }
    Buy buy = new Buy(buyer, world.order(buyer), 1 + step.b() % 3 % 2 + step.c() % 9 / 8);
    Place place = model.places.get(buyer.session().value());
    if (place != null && !place.token.isEmpty() && step.c() % 5 > 0) {
      buy = buy.withToken(place.token, world.now() + 60_000, "1");
    }
    if (step.c() % 2 == 0) {
      buy = buy.withKey("key-" + step.a() % 5, "print-" + buyer.session() + "-" + buy.quantity());
    }
    return buy;
  }

  private Buy again(Step step) {
    Buy was = buys.get(Math.max(0, buys.size() - 1 - step.a() % 4));
    return new Buy(
        was.buyer(),
        was.order(),
        was.quantity(),
        was.token(),
        was.expiry(),
        was.epoch(),
        was.key(),
        was.print());
  }

  private void buy(Step step, Buy buy) {
    String reply = world.scripts().purchase(List.of(buy)).await().textAt(0);
    same(step, reply, model.purchase(buy));
    buys.add(buy);
  }

  private void confirm(Step step) {
    List<Order> orders = List.copyOf(model.orders.all.values());
    if (!orders.isEmpty()) {
      Order order = orders.get(step.a() % orders.size());
      String payment = "pay-" + step.b() % 3;
      long amount = 9_999L * order.quantity - (step.c() % 10 == 0 ? 1 : 0);
      RedisReply reply =
          world.scripts().confirm(order.place.buyer, order.id, payment, amount).await();
      same(step, reply.textAt(0), model.orders.confirm(order, payment, amount));
    }
  }

  private void release(Step step) {
    List<Order> orders = List.copyOf(model.orders.all.values());
    if (!orders.isEmpty()) {
      Order order = orders.get(step.a() % orders.size());
      String reason = step.b() % 2 == 0 ? "cancelled" : "expired";
      RedisReply reply = world.scripts().release(order.place.buyer, order.id, reason).await();
      same(step, reply.textAt(0), model.orders.release(order, reason));
    }
  }

  private void payWindowPasses(Step step) {
    List<Order> orders = List.copyOf(model.orders.all.values());
    if (!orders.isEmpty() && model.rules.pays()) {
      Order order = orders.get(step.a() % orders.size());
      world.sent("HSET", world.keys().order(order.id), "pay_by", Long.toString(world.now() - 1));
      order.payWindowPassed = true;
    }
  }
}
