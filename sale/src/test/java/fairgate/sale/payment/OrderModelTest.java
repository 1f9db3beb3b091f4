package fairgate.sale.payment;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.Money;
import fairgate.sale.ledger.OrderStatus;
import fairgate.sale.payment.OrderScripts.RefundedScript;
import fairgate.sale.payment.ReleaseOutcome.Reason;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/// Random sequences of purchase, payment, release and refund against a naive model in memory.
final class OrderModelTest {
  private static final int STOCK = 4;
  private static final int USERS = 3;
  private static final int PER_USER = 2;

  /// One step: what, on which order, with which payment, by which user, of how many units.
  record Step(What what, int order, int payment, int user, int quantity) {}

  enum What {
    RESERVE,
    PAY,
    PAY_WRONG,
    EXPIRE,
    CANCEL,
    ASK_REFUND,
    REFUNDED
  }

  @Provide
  Arbitrary<List<Step>> steps() {
    Arbitrary<Step> step =
        Combinators.combine(
                Arbitraries.of(What.class),
                Arbitraries.integers().between(0, 5),
                Arbitraries.integers().between(0, 2),
                Arbitraries.integers().between(0, USERS - 1),
                Arbitraries.integers().between(1, 2))
            .as(Step::new);
    return step.list().ofMinSize(1).ofMaxSize(40);
  }

  @Property(tries = 60)
  void theScriptsDoWhatTheModelDoes(@ForAll("steps") List<Step> steps) {
    SaleWorld world = new SaleWorld(STOCK);
    Model model = new Model();
    List<Order> orders = new ArrayList<>();
    for (Step step : steps) {
      if (step.what() == What.RESERVE) {
        String user = world.product + "u" + step.user();
        if (model.reserve(user, step.quantity())) {
          orders.add(world.reserve(step.quantity(), -1, user, "d" + user));
        }
      } else if (!orders.isEmpty()) {
        int at = step.order() % orders.size();
        String seen = act(world, orders.get(at), step);
        assertThat(seen).as("%s", step).isEqualTo(model.act(at, step));
        assertThat(world.status(orders.get(at))).isEqualTo(model.orders.get(at).status);
      }
      assertThat(world.free()).isEqualTo(model.free);
      assertThat(world.held()).isEqualTo(model.sum(OrderStatus.PENDING));
      assertThat(world.confirmed()).isEqualTo(model.sum(OrderStatus.PAID));
      world.assertConserved();
    }
    model.bought.forEach(
        (user, units) ->
            assertThat(world.number("GET", world.keys.userBought(user))).isEqualTo((long) units));
    assertContiguous(world);
  }

  private static String act(SaleWorld world, Order order, Step step) {
    Payment payment = new Payment("p" + step.payment(), order.amount());
    return switch (step.what()) {
      case RESERVE -> throw new IllegalArgumentException();
      case PAY -> world.book.confirm(order.id(), payment).await().toString();
      case PAY_WRONG ->
          world
              .book
              .confirm(order.id(), new Payment(payment.id(), new Money(1, "TWD")))
              .await()
              .toString();
      case EXPIRE -> world.book.release(order.id(), Reason.EXPIRED).await().toString();
      case CANCEL -> world.book.release(order.id(), Reason.CANCELLED).await().toString();
      case ASK_REFUND -> world.book.refundDue(order.id(), "test").await().toString();
      case REFUNDED -> world.book.refunded(order.id(), payment).await().toString();
    };
  }

  /// The outbox has no gap, and names every payment that is to go back once.
  private static void assertContiguous(SaleWorld world) {
    List<Map<String, String>> outbox = world.outbox();
    Set<String> due = new HashSet<>();
    for (int i = 0; i < outbox.size(); i++) {
      Map<String, String> entry = outbox.get(i);
      assertThat(entry).containsEntry("seq", Integer.toString(i + 1));
      if ("refund_due".equals(entry.get("kind"))) {
        assertThat(due.add(entry.get("order") + ":" + entry.get("payment"))).isTrue();
      }
    }
  }

  private static final class Model {
    final List<ModelOrder> orders = new ArrayList<>();
    final Map<String, Integer> bought = new HashMap<>();
    int free = STOCK;

    static final class ModelOrder {
      final String user;
      final int quantity;
      OrderStatus status = OrderStatus.PENDING;
      String payment = "";
      final Map<String, Integer> refunds = new HashMap<>();

      ModelOrder(String user, int quantity) {
        this.user = user;
        this.quantity = quantity;
      }
    }

    boolean reserve(String user, int quantity) {
      if (free < quantity || bought.getOrDefault(user, 0) + quantity > PER_USER) {
        return false;
      }
      orders.add(new ModelOrder(user, quantity));
      take(user, quantity);
      return true;
    }

    long sum(OrderStatus status) {
      return orders.stream().filter(o -> o.status == status).mapToInt(o -> o.quantity).sum();
    }

    String act(int at, Step step) {
      ModelOrder order = orders.get(at);
      String payment = "p" + step.payment();
      return switch (step.what()) {
        case RESERVE -> "";
        case PAY -> pay(order, payment, true).toString();
        case PAY_WRONG -> pay(order, payment, false).toString();
        case EXPIRE -> release(order, OrderStatus.EXPIRED).toString();
        case CANCEL -> release(order, OrderStatus.CANCELLED).toString();
        case ASK_REFUND -> ask(order).toString();
        case REFUNDED -> refunded(order, payment).toString();
      };
    }

    private ConfirmOutcome pay(ModelOrder order, String payment, boolean right) {
      if (order.refunds.containsKey(payment)) {
        return new ConfirmOutcome.RefundDue();
      }
      if (payment.equals(order.payment)) {
        return new ConfirmOutcome.AlreadyPaid();
      }
      boolean late = order.status == OrderStatus.EXPIRED || order.status == OrderStatus.CANCELLED;
      boolean fits =
          order.status == OrderStatus.PENDING
              || (late
                  && free >= order.quantity
                  && bought.getOrDefault(order.user, 0) + order.quantity <= PER_USER);
      if (!right || !fits) {
        order.refunds.put(payment, 1);
        return new ConfirmOutcome.RefundDue();
      }
      if (late) {
        take(order.user, order.quantity);
      }
      order.status = OrderStatus.PAID;
      order.payment = payment;
      return new ConfirmOutcome.Confirmed(late);
    }

    private ReleaseOutcome release(ModelOrder order, OrderStatus to) {
      return switch (order.status) {
        case PENDING -> {
          order.status = to;
          take(order.user, -order.quantity);
          yield new ReleaseOutcome.Released();
        }
        case PAID -> new ReleaseOutcome.Paid();
        case CANCELLED, EXPIRED, REFUNDED -> new ReleaseOutcome.AlreadyOver(order.status);
      };
    }

    private static RefundDueScript.Outcome ask(ModelOrder order) {
      if (order.status == OrderStatus.REFUNDED) {
        return RefundDueScript.Outcome.ALREADY;
      }
      if (order.status != OrderStatus.PAID) {
        return RefundDueScript.Outcome.UNPAID;
      }
      return order.refunds.putIfAbsent(order.payment, 1) == null
          ? RefundDueScript.Outcome.ASKED
          : RefundDueScript.Outcome.ALREADY;
    }

    private RefundedScript.Outcome refunded(ModelOrder order, String payment) {
      int mark = order.refunds.getOrDefault(payment, 0);
      if (mark != 1) {
        return mark == 2 ? RefundedScript.Outcome.ALREADY : RefundedScript.Outcome.NOT_DUE;
      }
      order.refunds.put(payment, 2);
      if (order.status == OrderStatus.PAID && order.payment.equals(payment)) {
        order.status = OrderStatus.REFUNDED;
        take(order.user, -order.quantity);
        return RefundedScript.Outcome.REFUNDED;
      }
      return RefundedScript.Outcome.MARKED;
    }

    private void take(String user, int quantity) {
      free -= quantity;
      int _ = bought.merge(user, quantity, Integer::sum);
    }
  }
}
