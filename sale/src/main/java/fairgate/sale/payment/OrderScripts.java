package fairgate.sale.payment;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.Money;
import fairgate.kernel.OrderId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import fairgate.platform.redis.ScriptBatcher;
import fairgate.sale.ledger.OrderStatus;
import fairgate.sale.payment.PaymentConfig.LateMoney;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/// The scripts for the payment of an order, and the common part of its transitions: keys, leading
/// arguments, and failure replies. A script compares the arguments with the order, so keys and
/// order always belong together.
final class OrderScripts {
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private OrderScripts() {}

  /// Sale, stock, order, session, purchases, pending, outbox, user bought, device bought.
  static List<String> keys(SaleKeys keys, Order order) {
    return List.of(
        keys.sale(),
        keys.stock(),
        keys.order(order.id()),
        keys.session(order.session()),
        keys.purchases(),
        keys.pending(),
        keys.outbox(),
        keys.userBought(order.user()),
        keys.deviceBought(order.device()));
  }

  /// Order id, session, user, device, then the script's own arguments.
  static List<String> args(Order order, String... more) {
    List<String> args = new ArrayList<>(4 + more.length);
    args.add(order.id().value());
    args.add(order.session().value());
    args.add(order.user());
    args.add(order.device());
    args.addAll(List.of(more));
    return args;
  }

  /// Returns the exception for a reply without an outcome. `RETRY` means that the order was
  /// rewritten under the same id since it was read, or that Redis has restarted and the sale was
  /// not compared with the ledger since. It becomes ServiceUnavailable, and all callers repeat it.
  static RuntimeException unexpected(LuaScript script, RedisReply reply) {
    String word = reply.textAt(0);
    return word.equals("RETRY")
        ? new ServiceUnavailable(
            script.name() + ": the order changed hands, or redis has just started", RETRY_AFTER)
        : new IllegalStateException(script.name() + " replied " + word);
  }

  /// The outcome that a reply names. Throws as [#unexpected] says.
  private static <E extends Enum<E>> E outcome(Class<E> type, LuaScript script, RedisReply reply) {
    String word = reply.textAt(0);
    if (word.equals("RETRY")) {
      throw unexpected(script, reply);
    }
    return Enum.valueOf(type, word);
  }

  /// Calls `confirm.lua`: the transition `pending -> paid`, and the handling of late, wrong and
  /// second payments.
  record ConfirmScript(RedisClient redis) {
    private static final LuaScript SCRIPT = LuaScript.load(ConfirmScript.class, "confirm.lua");

    /// Books the payment. When the future completes, the booking is as durable as Redis writes are.
    Future<ConfirmOutcome> run(SaleKeys keys, Order order, Payment payment, LateMoney late) {
      return redis
          .run(
              SCRIPT,
              OrderScripts.keys(keys, order),
              OrderScripts.args(
                  order,
                  payment.id(),
                  Long.toString(payment.amount().minorUnits()),
                  payment.amount().currency(),
                  late.name().toLowerCase(Locale.ROOT)))
          .map(ConfirmScript::outcome);
    }

    private static ConfirmOutcome outcome(RedisReply reply) {
      return switch (reply.textAt(0)) {
        case "CONFIRMED" -> new ConfirmOutcome.Confirmed(false);
        case "LATE" -> new ConfirmOutcome.Confirmed(true);
        case "ALREADY" -> new ConfirmOutcome.AlreadyPaid();
        case "REFUND_DUE" -> new ConfirmOutcome.RefundDue();
        case "UNKNOWN" -> new ConfirmOutcome.UnknownOrder();
        default -> throw OrderScripts.unexpected(SCRIPT, reply);
      };
    }
  }

  /// Calls `release.lua`: the transitions `pending -> cancelled` and `pending -> expired`.
  record ReleaseScript(RedisClient redis) {
    private static final LuaScript SCRIPT = LuaScript.load(ReleaseScript.class, "release.lua");

    /// Ends the reservation if it is still pending and, for `EXPIRED`, if its window is over.
    Future<ReleaseOutcome> run(SaleKeys keys, Order order, ReleaseOutcome.Reason reason) {
      List<String> all = new ArrayList<>(OrderScripts.keys(keys, order));
      all.add(keys.devices());
      all.add(keys.userCooldown(order.user()));
      all.add(keys.deviceCooldown(order.device()));
      return redis
          .run(SCRIPT, all, OrderScripts.args(order, reason.status(), reason.word()))
          .map(ReleaseScript::outcome);
    }

    private static ReleaseOutcome outcome(RedisReply reply) {
      return switch (reply.textAt(0)) {
        case "RELEASED" -> new ReleaseOutcome.Released();
        case "ALREADY" -> new ReleaseOutcome.AlreadyOver(OrderStatus.of(reply.textAt(1)));
        case "PAID" -> new ReleaseOutcome.Paid();
        case "NOT_DUE" -> new ReleaseOutcome.NotDue();
        case "UNKNOWN" -> new ReleaseOutcome.UnknownOrder();
        default -> throw OrderScripts.unexpected(SCRIPT, reply);
      };
    }
  }

  /// Calls `reversed.lua`: money that went back without a request of this server.
  record ReversedScript(RedisClient redis) {
    private static final LuaScript SCRIPT = LuaScript.load(ReversedScript.class, "reversed.lua");

    enum Outcome {
      /// Nothing of the payment is left; the order is refunded now.
      REFUNDED,
      /// A part went back; the order stays paid.
      PART,
      /// Booked before, or asked back by this server; nothing changed.
      ALREADY,
      UNKNOWN
    }

    /// @param payment with the amount of the dispute, or all that went back so far
    /// @param reason for the ledger
    /// @param dispute its name; empty for a refund
    Future<Outcome> run(
        SaleKeys keys, Order order, Payment payment, String reason, String dispute) {
      return redis
          .run(
              SCRIPT,
              OrderScripts.keys(keys, order),
              OrderScripts.args(
                  order,
                  payment.id(),
                  Long.toString(payment.amount().minorUnits()),
                  payment.amount().currency(),
                  reason,
                  dispute))
          .map(reply -> OrderScripts.outcome(Outcome.class, SCRIPT, reply));
    }
  }

  /// Calls `refunded.lua`: the transition `paid -> refunded`, and the mark on a refunded payment
  /// that had not paid the order.
  record RefundedScript(RedisClient redis) {
    private static final LuaScript SCRIPT = LuaScript.load(RefundedScript.class, "refunded.lua");

    enum Outcome {
      /// The order was paid with this payment and is refunded now.
      REFUNDED,
      /// The order was not paid with this payment and keeps its status.
      MARKED,
      /// The payment was marked before; nothing changed.
      ALREADY,
      /// No refund of this payment is due; nothing changed.
      NOT_DUE,
      UNKNOWN
    }

    /// Marks the payment, or a part of it, after the provider has refunded it.
    ///
    /// @param part empty = the payment
    Future<Outcome> run(SaleKeys keys, Order order, Payment payment, String part) {
      return run(keys, order, payment.id(), payment.amount(), "", part);
    }

    /// Releases the units of an order of which no money goes back.
    Future<Outcome> free(SaleKeys keys, Order order, String reason) {
      String payment = order.payment() == null ? "" : order.payment();
      return run(keys, order, payment, new Money(0, order.amount().currency()), reason, "");
    }

    private Future<Outcome> run(
        SaleKeys keys, Order order, String payment, Money amount, String reason, String part) {
      return redis
          .run(
              SCRIPT,
              OrderScripts.keys(keys, order),
              OrderScripts.args(
                  order,
                  payment,
                  Long.toString(amount.minorUnits()),
                  amount.currency(),
                  reason,
                  part))
          .map(reply -> OrderScripts.outcome(Outcome.class, SCRIPT, reply));
    }
  }

  /// Calls `extend.lua`, which extends the payment deadline of a pending order.
  record ExtendScript(RedisClient redis) {
    private static final LuaScript SCRIPT = LuaScript.load(ExtendScript.class, "extend.lua");

    enum Outcome {
      EXTENDED,
      /// The deadline is as late already; nothing changed.
      LATER,
      /// The deadline has passed, and the order may be closed at the provider; nothing changed.
      DUE,
      OVER,
      UNKNOWN
    }

    /// @param reason for the ledger
    Future<Outcome> run(SaleKeys keys, OrderId order, Instant payBy, String reason) {
      return redis
          .run(
              SCRIPT,
              List.of(keys.sale(), keys.order(order), keys.pending(), keys.outbox()),
              List.of(order.value(), Long.toString(payBy.toEpochMilli()), reason))
          .map(reply -> OrderScripts.outcome(Outcome.class, SCRIPT, reply));
    }
  }

  /// Calls `declined.lua`, which records a declined payment.
  record DeclinedScript(RedisClient redis) {
    private static final LuaScript SCRIPT = LuaScript.load(DeclinedScript.class, "declined.lua");

    enum Outcome {
      DECLINED,
      OVER,
      UNKNOWN
    }

    Future<Outcome> run(SaleKeys keys, OrderId id) {
      return redis
          .run(SCRIPT, List.of(keys.order(id)), List.of())
          .map(reply -> Outcome.valueOf(reply.text()));
    }
  }

  /// Calls `deadline.lua`, which reads the payment deadline of a pending order.
  record DeadlineScript(RedisClient redis) {
    private static final LuaScript SCRIPT = LuaScript.load(DeadlineScript.class, "deadline.lua");

    /// The deadline.
    ///
    /// @param payBy milliseconds since the epoch; 0 for none
    /// @param stands whether payment time stands still, so that the deadline moves on
    record Deadline(long payBy, boolean stands) {}

    Future<Deadline> run(SaleKeys keys, OrderId order) {
      return redis
          .run(SCRIPT, List.of(keys.sale(), keys.order(order)), List.of())
          .map(reply -> new Deadline(Long.parseLong(reply.textAt(0)), reply.textAt(1).equals("1")));
    }
  }

  /// Calls `due.lua`, which takes orders whose payment deadline has passed.
  static final class DueScript {
    private static final LuaScript SCRIPT = LuaScript.load(DueScript.class, "due.lua");
    private static final ScriptBatcher.Shared SHARED =
        new ScriptBatcher.Shared("due", List.of(), List.of());
    private static final int MAX_BATCH_SIZE = 64;

    private final ScriptBatcher batcher;

    DueScript(RedisClient redis) {
      this.batcher = new ScriptBatcher(redis, SCRIPT, MAX_BATCH_SIZE);
    }

    /// The reply of the script.
    ///
    /// @param pending the number of all pending orders
    /// @param quietMillis time until the next deadline of the sale, also of orders to come
    /// @param orders those that were taken, earliest deadline first
    record Due(long pending, long quietMillis, List<OrderId> orders) {
      static Due parse(String reply) {
        String[] f = reply.split("\\|", -1);
        return new Due(
            Long.parseLong(f[0]),
            Long.parseLong(f[1]),
            Arrays.stream(f).skip(2).map(OrderId::new).toList());
      }
    }

    /// Takes at most `max` orders of each sale. No node gets one of them again before the lease
    /// ends. Sales share runs of the script.
    ///
    /// @param stop the time for which payment deadlines stand still from now on; zero when the
    ///   provider answers
    /// @return the replies, in the order of the sales
    List<Future<Due>> run(List<SaleKeys> sales, int max, Duration lease, Duration stop) {
      List<String> args =
          List.of(
              Integer.toString(max),
              Long.toString(lease.toMillis()),
              Long.toString(stop.toMillis()));
      List<ScriptBatcher.Item> items =
          sales.stream()
              .map(keys -> new ScriptBatcher.Item(List.of(keys.pending(), keys.sale()), args))
              .toList();
      return batcher.callAll(SHARED, items).stream().map(reply -> reply.map(Due::parse)).toList();
    }
  }
}
