package fairgate.prove.check;

import static fairgate.prove.check.Invariant.I46;

import fairgate.crowd.proof.Gateway;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Checks the deposits of a sale: each ends once, and the money is where its end says.
final class DepositCheck {
  private static final String DEPOSITS =
      """
      SELECT d.deposit_id, d.amount, d.state, d.passed, d.payment_id, o.order_id, o.status,
        p.price * o.quantity - o.amount AS taken_off
      FROM deposits d JOIN products p ON p.id = d.product_id
      LEFT JOIN orders o ON o.platform = 'fairgate' AND o.deposit_id = d.deposit_id
      WHERE d.product_id = ? ORDER BY d.deposit_id
      """;

  private final Gateway gateway;
  private final InvariantResults tally;

  DepositCheck(Gateway gateway, InvariantResults tally) {
    this.gateway = gateway;
    this.tally = tally;
  }

  /// A deposit in the ledger.
  ///
  /// @param passed its end if the buyer lets the turn pass
  /// @param payment empty while it is not paid
  /// @param order the status of the order that used it; empty for none
  /// @param takenOff how much less than the price the order asks for
  record Deposit(
      String id,
      long amount,
      String state,
      String passed,
      String payment,
      String order,
      long takenOff) {}

  /// A payment for a deposit.
  ///
  /// @param returned what went back, in so many `moves`
  record Money(String payment, long amount, long returned, int moves) {
    boolean isKept() {
      return moves == 0;
    }

    boolean isBack() {
      return moves == 1 && returned == amount;
    }
  }

  /// Whether an id is that of a deposit.
  static boolean isDeposit(String order) {
    return order.charAt(order.lastIndexOf('_') + 1) == 'u';
  }

  void check(Connection sql, String product) throws SQLException {
    Map<String, List<Money>> paid = new HashMap<>();
    for (Gateway.Payment payment : gateway.captured()) {
      if (isDeposit(payment.order())) {
        paid.computeIfAbsent(payment.order(), _ -> new ArrayList<>()).add(money(payment));
      }
    }
    String last = "";
    for (LedgerSnapshot.Row row : LedgerSnapshot.rows(sql, DEPOSITS, product)) {
      String id = row.text("deposit_id");
      tally.that(I46, !id.equals(last), "two orders used the deposit %s", id);
      last = id;
      compare(
          new Deposit(
              id,
              row.number("amount"),
              row.text("state"),
              row.text("passed"),
              row.text("payment_id"),
              row.text("status"),
              row.number("taken_off")),
          paid.getOrDefault(id, List.of()));
    }
  }

  private Money money(Gateway.Payment payment) {
    return new Money(
        payment.id(),
        payment.amount(),
        gateway.returned(payment.id()),
        gateway.refundsOf(payment.id()).size());
  }

  /// @param payments all that were made for the deposit
  void compare(Deposit deposit, List<Money> payments) {
    boolean known = deposit.payment().isEmpty();
    for (Money money : payments) {
      boolean isIts = money.payment().equals(deposit.payment());
      known |= isIts;
      boolean keeps = isIts && !deposit.state().equals("returned");
      tally.that(
          I46,
          keeps ? money.isKept() && money.amount() == deposit.amount() : money.isBack(),
          "%s, %s",
          deposit,
          money);
    }
    tally.that(I46, known, "%s is paid with money that nobody took: %s", deposit, payments);
    tally.that(I46, endsWithItsOrder(deposit), "%s does not end as its order", deposit);
  }

  private static boolean endsWithItsOrder(Deposit deposit) {
    return switch (deposit.order()) {
      case "" -> !deposit.state().equals("counted") && mayBeKept(deposit);
      case "paid" -> deposit.state().equals("counted") && deposit.takenOff() == deposit.amount();
      case "refunded" -> deposit.state().equals("returned");
      case "pending" -> deposit.state().equals("paid");
      default -> List.of("returned", "kept").contains(deposit.state()) && mayBeKept(deposit);
    };
  }

  private static boolean mayBeKept(Deposit deposit) {
    return !deposit.state().equals("kept") || deposit.passed().equals("kept");
  }
}
