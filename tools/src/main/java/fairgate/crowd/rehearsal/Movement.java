package fairgate.crowd.rehearsal;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.SplittableRandom;

/// How simulated visitors use the page of a sale before the join, as the numbers that the page
/// sends with it. They are drawn at random; no recordings of real people are kept.
final class Movement {
  private Movement() {}

  /// A person: a mouse with curves and pauses, or a finger with a few strokes and taps. One in ten
  /// has a touch screen and only taps.
  ///
  /// @param chance the same chance gives the same person
  static ObjectNode ofPerson(SplittableRandom chance) {
    boolean taps = chance.nextInt(10) == 0;
    int moves = taps ? chance.nextInt(4) : chance.nextInt(15, 400);
    int presses = chance.nextInt(1, 7);
    int keys = chance.nextInt(4) == 0 ? chance.nextInt(1, 15) : 0;
    return numbers(chance.nextInt(2_500, 120_000))
        .put("moves", moves)
        .put("path", moves * chance.nextInt(5, 40) + chance.nextInt(40))
        .put("entropy", moves == 0 ? 0 : chance.nextInt(45, 98))
        .put("straight", moves == 0 ? 0 : chance.nextInt(35, 95))
        .put("pauses", moves / 30 + chance.nextInt(4))
        .put("focus", chance.nextInt(4))
        .put("keys", keys)
        .put("key_ms", keys > 1 ? chance.nextInt(90, 700) : 0)
        .put("key_spread", keys > 2 ? chance.nextInt(20, 120) : 0)
        .put("presses", presses)
        .put("press_ms", presses > 1 ? chance.nextInt(300, 9_000) : 0)
        .put("press_spread", presses > 2 ? chance.nextInt(20, 120) : 0);
  }

  /// A program that plays back one of a few recordings of people. The time on the page differs.
  static ObjectNode replayed(int recording, SplittableRandom chance) {
    return ofPerson(new SplittableRandom(recording))
        .put("page_ms", chance.nextInt(2_500, 120_000))
        .put("moves", 40 + recording);
  }

  /// A program that moves the pointer to the button in straight lines.
  static ObjectNode straight(SplittableRandom chance) {
    int moves = chance.nextInt(40, 120);
    return numbers(chance.nextInt(2_500, 120_000))
        .put("moves", moves)
        .put("path", moves * chance.nextInt(8, 16))
        .put("entropy", chance.nextInt(0, 40))
        .put("straight", chance.nextInt(99, 101))
        .put("pauses", chance.nextInt(3))
        .put("presses", 1);
  }

  private static ObjectNode numbers(int pageMillis) {
    ObjectNode numbers = JsonNodeFactory.instance.objectNode().put("page_ms", pageMillis);
    for (String name :
        new String[] {
          "moves",
          "path",
          "entropy",
          "straight",
          "pauses",
          "focus",
          "keys",
          "key_ms",
          "key_spread",
          "presses",
          "press_ms",
          "press_spread"
        }) {
      numbers.put(name, 0);
    }
    return numbers;
  }
}
