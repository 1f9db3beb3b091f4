package fairgate.crowd.proof;

import fairgate.crowd.Answer;
import java.util.random.RandomGenerator;

/// One person in one browser who asks again and again, at any server, without waiting. For one
/// thread.
public final class Hasty {
  private final Doors doors;
  private final Visitor visitor;
  private final Terms sale;
  private final String name;
  private final RandomGenerator chance;
  private String session = "";
  private int keys;

  Hasty(Doors doors, Visitor visitor, Terms sale, String name, RandomGenerator chance) {
    this.doors = doors;
    this.visitor = visitor;
    this.sale = sale;
    this.name = name;
    this.chance = chance;
  }

  /// Asks once for a place.
  public Answer join() {
    Answer answer = visitor.join(doors.any(chance), sale);
    String given = answer.text("session_id");
    session = given.isEmpty() ? session : given;
    return answer;
  }

  /// Asks once for a unit, with a key of its own and without a purchase token, in the name of the
  /// place it has.
  public Answer purchase() {
    keys++;
    return visitor.purchase(
        doors.any(chance), new Visitor.Want(sale, session, 1, "", name + "-" + keys));
  }
}
