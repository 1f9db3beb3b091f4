package fairgate.crowd.proof;

import fairgate.crowd.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// A buyer in one sale, on a virtual thread. It repeats every call with an unknown result with the
/// same key, at any node, like a careful client.
final class Shopper {
  private static final int GREED = 4;
  private static final int AT_ONCE = 4;

  /// One of this many orders is refunded by the operator, and one is cancelled.
  private static final int OPERATED = 10;

  private static final int FREE_ORDER_MS = 1_000;
  private static final int SEE_OTHER = 303;

  private final Shared shared;
  private final SaleTerms sale;
  private final Visitor visitor;
  private final String name;
  private final BuyerBehavior habit;
  private final RandomGenerator chance;
  private final long deadline;
  private final Set<String> deposits = new HashSet<>();
  private int keys;

  /// The parts that all buyers share.
  ///
  /// @param over whether all buyers must leave
  record Shared(NodePorts doors, Gateway gateway, Operator operator, BooleanSupplier over) {}

  Shopper(Shared shared, SaleTerms sale, Visitor visitor, String name, RandomGenerator chance) {
    this.shared = shared;
    this.sale = sale;
    this.visitor = visitor;
    this.name = name;
    this.chance = chance;
    this.habit = BuyerBehavior.of(chance.nextInt(Integer.MAX_VALUE));
    this.deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
  }

  void run() {
    int turns = habit == BuyerBehavior.GREEDY ? GREED : 1;
    for (int i = 0; i < turns && going(); i++) {
      String session = join();
      if (session.isEmpty() || habit == BuyerBehavior.VANISHES) {
        return;
      }
      if (habit == BuyerBehavior.LEAVES && chance.nextBoolean()) {
        leave(session);
        return;
      }
      String token = awaitTurn(session);
      if (token == null) {
        return;
      }
      if (habit == BuyerBehavior.LEAVES) {
        leave(session);
        return;
      }
      buy(session, token);
    }
  }

  /// Buys one unit without any tricks and pays for it; whether it got it.
  boolean buys() {
    String session = join();
    String token = session.isEmpty() ? null : awaitTurn(session);
    if (token == null) {
      return false;
    }
    Answer bought = insist(new Visitor.PurchaseIntent(sale, session, 1, token, key()));
    if (bought.ok() && sale.pays()) {
      shared.gateway().pay(bill(bought), PaymentCase.PROMPT, 0);
    }
    return bought.ok();
  }

  /// Registers on the waiting list as soon as everything is sold; whether that worked. Nobody pays
  /// for the offer, so its units go to the next person.
  boolean registers() {
    String session = join();
    while (!session.isEmpty() && going()) {
      Answer place = visitor.status(door(), sale, session);
      if (List.of("ready_to_purchase", "expired").contains(place.text("queue_status"))) {
        leave(session);
        return false;
      }
      if (visitor.register(door(), sale, session).status() == SEE_OTHER) {
        return true;
      }
      rest(250);
    }
    goHome(session);
    return false;
  }

  private Gateway.Invoice bill(Answer bought) {
    return new Gateway.Invoice(
        bought.text("order_id"),
        bought.number("amount"),
        bought.text("currency"),
        sale.payMillis());
  }

  private boolean going() {
    return !shared.over().getAsBoolean() && System.nanoTime() < deadline;
  }

  private int door() {
    return shared.doors().any(chance);
  }

  private void rest(int millis) {
    try {
      Thread.sleep(millis / 2 + chance.nextInt(millis));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /// The session; empty when there is no getting in.
  private String join() {
    while (going()) {
      Answer answer = visitor.join(door(), sale);
      if (answer.ok() || "ALREADY_IN_QUEUE".equals(answer.error())) {
        if (habit == BuyerBehavior.TABS) {
          Answer _ = visitor.join(door(), sale);
        }
        return answer.text("session_id");
      }
      if ("DEPOSIT_REQUIRED".equals(answer.error())) {
        if (habit == BuyerBehavior.FORGETS && chance.nextBoolean()) {
          Answer _ = visitor.deposit(door(), sale);
          return "";
        }
        deposit();
      } else if (!again(answer)
          && !"PRODUCT_NOT_FOUND".equals(answer.error())
          && !"UNPAID_COOLDOWN".equals(answer.error())
          && !"TURN_MISSED".equals(answer.error())
          && !"RATE_LIMIT_EXCEEDED".equals(answer.error())) {
        return "";
      }
      rest(300);
    }
    return "";
  }

  /// Pays the deposit of the sale and waits until it is booked. One that lapsed is followed by
  /// another.
  private void deposit() {
    while (going()) {
      Answer open = visitor.deposit(door(), sale);
      boolean isPending = open.text("status").equals("pending");
      boolean tooOften = "RATE_LIMIT_EXCEEDED".equals(open.error());
      if (open.ok() ? !isPending : !tooOften && !again(open)) {
        return;
      }
      String id = open.text("deposit_id");
      if (open.ok() && deposits.add(id)) {
        Gateway.Invoice bill =
            new Gateway.Invoice(id, open.number("amount"), open.text("currency"), sale.payMillis());
        shared
            .gateway()
            .payDeposit(bill, chance.nextInt(Integer.MAX_VALUE), chance.nextInt(1 << 20));
      }
      rest(500);
    }
  }

  private void leave(String session) {
    Answer _ = visitor.leave(door(), sale, session);
  }

  /// The purchase token, empty where none is needed; null when the turn does not come.
  private @Nullable String awaitTurn(String session) {
    while (going()) {
      Answer answer = visitor.status(door(), sale, session);
      String state = answer.text("queue_status");
      if ("ready_to_purchase".equals(state)) {
        return answer.text("purchase_token");
      }
      if ("purchased".equals(state)
          || "expired".equals(state)
          || (!answer.ok() && !again(answer))) {
        return null;
      }
      rest(250);
    }
    goHome(session);
    return null;
  }

  /// Places of people who have gone would cost those who come later time.
  private void goHome(String session) {
    if (shared.over().getAsBoolean() && !session.isEmpty()) {
      leave(session);
    }
  }

  private static boolean again(Answer answer) {
    return answer.unknown() || answer.status() >= 500;
  }

  private String key() {
    keys++;
    return name + "-" + keys;
  }

  private void buy(String session, String token) {
    int quantity = 1 + chance.nextInt(sale.max());
    var want = new Visitor.PurchaseIntent(sale, session, quantity, token, key());
    Answer bought =
        switch (habit) {
          case STORM -> storm(want, false);
          case TABS -> storm(want, true);
          default -> insist(want);
        };
    if (!bought.ok()) {
      return;
    }
    if (chance.nextInt(4) == 0 || habit == BuyerBehavior.STORM) {
      // Repeats the purchase, like a reloaded page.
      Answer _ = visitor.purchase(door(), want);
    }
    if (habit == BuyerBehavior.CHEAT) {
      cheat(want, token);
    }
    Thread operator = operate(bought.text("order_id"), bought.number("amount"));
    if (sale.pays()) {
      settle(session, bought);
    } else if (chance.nextInt(3) == 0) {
      claim(bought.text("order_id"));
    } else if (sale.tickets() && chance.nextBoolean()) {
      shared.operator().checkIn(sale, bought.text("order_id"));
    }
    end(operator);
  }

  /// Has the operator refund, in full or in part, or cancel some orders, at any moment of their
  /// lives. A thread of its own: the buyer pays, cancels or claims meanwhile.
  private Thread operate(String order, long amount) {
    int draw = chance.nextInt(OPERATED);
    boolean insists = chance.nextBoolean();
    int life = sale.pays() ? (int) (sale.payMillis() + sale.payMillis() / 2) : FREE_ORDER_MS;
    int after = chance.nextInt(life);
    return Thread.startVirtualThread(
        () -> {
          if (draw == 0) {
            Callbacks.rest(after);
            shared.operator().act(Operator.OrderAction.REFUND, sale, order, insists);
          } else if (draw == 1 && sale.pays()) {
            // Most orders are paid soon.
            Callbacks.rest(after / 4);
            shared.operator().act(Operator.OrderAction.CANCEL, sale, order, insists);
          } else if (draw == 2 && sale.pays() && amount > 1) {
            Callbacks.rest(after);
            shared.operator().refundPart(sale, order, amount / 2, insists);
            if (insists) {
              shared.operator().act(Operator.OrderAction.REFUND, sale, order, true);
            }
          }
        });
  }

  private static void end(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /// Claims the code of the order, while a stranger who knows the number does the same; the winner
  /// repeats its claim.
  private void claim(String order) {
    Visitor stranger = visitor.stranger();
    int port = door();
    Thread rival =
        Thread.startVirtualThread(
            () -> {
              Answer _ = stranger.claim(port, sale, order);
            });
    Answer answer;
    do {
      answer = visitor.claim(door(), sale, order);
      rest(200);
    } while ((again(answer) || "ORDER_NOT_FOUND".equals(answer.error())) && going());
    end(rival);
    Answer _ = visitor.claim(door(), sale, order);
    Answer _ = stranger.claim(door(), sale, order);
  }

  /// Asks until there is an answer, with one key.
  private Answer insist(Visitor.PurchaseIntent first) {
    Visitor.PurchaseIntent want = first;
    while (true) {
      Answer answer = visitor.purchase(door(), want);
      boolean stale = "INVALID_PURCHASE_TOKEN".equals(answer.error());
      boolean tooOften = "RATE_LIMIT_EXCEEDED".equals(answer.error());
      if ((!stale && !tooOften && !again(answer)) || !going()) {
        return answer;
      }
      rest(120);
      if (stale) {
        String token = awaitTurn(want.session());
        if (token == null) {
          // An earlier attempt may have succeeded; its key returns the order.
          return visitor.purchase(door(), want);
        }
        want = new Visitor.PurchaseIntent(sale, want.session(), want.quantity(), token, want.key());
      }
    }
  }

  /// Several at the same moment, with one key or with several.
  private Answer storm(Visitor.PurchaseIntent want, boolean ownKeys) {
    List<Answer> answers = new CopyOnWriteArrayList<>();
    List<Thread> tabs = new ArrayList<>();
    for (int i = 0; i < AT_ONCE; i++) {
      int port = door();
      var tab =
          ownKeys && i > 0
              ? new Visitor.PurchaseIntent(
                  sale, want.session(), want.quantity(), want.token(), key())
              : want;
      tabs.add(Thread.startVirtualThread(() -> answers.add(visitor.purchase(port, tab))));
    }
    tabs.forEach(Shopper::end);
    return answers.stream().filter(Answer::ok).findFirst().orElseGet(() -> insist(want));
  }

  private void cheat(Visitor.PurchaseIntent want, String token) {
    int other = want.quantity() == 1 ? 2 : 1;
    Answer _ =
        visitor.purchase(
            door(), new Visitor.PurchaseIntent(sale, want.session(), other, token, want.key()));
    Answer _ =
        visitor.purchase(
            door(),
            new Visitor.PurchaseIntent(sale, want.session(), want.quantity(), token, key()));
    Answer joined = visitor.join(door(), sale);
    if (joined.ok()) {
      Answer _ =
          visitor.purchase(
              door(), new Visitor.PurchaseIntent(sale, joined.text("session_id"), 1, token, key()));
      leave(joined.text("session_id"));
    }
  }

  private void settle(String session, Answer bought) {
    String order = bought.text("order_id");
    if (habit == BuyerBehavior.FORGETS) {
      return;
    }
    if (habit == BuyerBehavior.CANCELS) {
      Answer answer;
      do {
        rest(200);
        answer = visitor.cancel(door(), sale, session, order);
      } while (again(answer) && going());
      return;
    }
    Gateway.Invoice bill =
        new Gateway.Invoice(
            order, bought.number("amount"), bought.text("currency"), sale.payMillis());
    shared
        .gateway()
        .pay(bill, PaymentCase.of(chance.nextInt(Integer.MAX_VALUE)), chance.nextInt(1 << 20));
  }
}
