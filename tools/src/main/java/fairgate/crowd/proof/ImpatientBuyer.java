package fairgate.crowd.proof;

import fairgate.crowd.Answer;
import java.util.random.RandomGenerator;

/// A buyer in one browser that repeats its calls at any server without a pause. For one thread.
public final class ImpatientBuyer {
  private final NodePorts doors;
  private final Visitor visitor;
  private final SaleTerms sale;
  private final String name;
  private final RandomGenerator chance;
  private String session = "";
  private int keys;

  ImpatientBuyer(
      NodePorts doors, Visitor visitor, SaleTerms sale, String name, RandomGenerator chance) {
    this.doors = doors;
    this.visitor = visitor;
    this.sale = sale;
    this.name = name;
    this.chance = chance;
  }

  /// Joins the queue once.
  public Answer join() {
    Answer answer = visitor.join(doors.any(chance), sale);
    String given = answer.text("session_id");
    session = given.isEmpty() ? session : given;
    return answer;
  }

  /// Tries once to buy one unit, with a new idempotency key and without a purchase token, in the
  /// session of the last successful join.
  public Answer purchase() {
    keys++;
    return visitor.purchase(
        doors.any(chance), new Visitor.PurchaseIntent(sale, session, 1, "", name + "-" + keys));
  }
}
