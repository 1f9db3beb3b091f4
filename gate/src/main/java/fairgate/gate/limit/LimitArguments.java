package fairgate.gate.limit;

import fairgate.gate.limit.LimitScript.Item;
import fairgate.gate.limit.LimitScript.Limit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/// Builds the JSON argument of `limit.lua`. Most items of a run have the same rules; these are sent
/// once.
final class LimitArguments {
  /// The limits of one item of each shape.
  private final List<List<Limit>> shapes = new ArrayList<>(2);

  private final StringBuilder wanted = new StringBuilder(64);
  private final StringBuilder shapeNumbers = new StringBuilder(64);

  void add(Item item) {
    wanted.append(',').append(item.wanted());
    shapeNumbers.append(',').append(shape(item.limits()));
  }

  private int shape(List<Limit> limits) {
    for (int i = 0; i < shapes.size(); i++) {
      if (alike(shapes.get(i), limits)) {
        return i + 1;
      }
    }
    shapes.add(limits);
    return shapes.size();
  }

  private static boolean alike(List<Limit> one, List<Limit> other) {
    if (one.size() != other.size()) {
      return false;
    }
    for (int i = 0; i < one.size(); i++) {
      Limit a = one.get(i);
      Limit b = other.get(i);
      if (!a.numbers().equals(b.numbers())) {
        return false;
      }
    }
    return true;
  }

  /// The argument in the form that the script's header describes.
  String json() {
    StringBuilder json = new StringBuilder(160 + wanted.length() + shapeNumbers.length());
    json.append("[[");
    shapes.forEach(
        shape -> shape.forEach(l -> json.append('"').append(l.numbers().kind()).append("\",")));
    close(json).append(',');
    column(json, limit -> limit.numbers().p());
    column(json, limit -> limit.numbers().q());
    column(json, limit -> limit.numbers().burst());
    json.append('[');
    int rules = 0;
    for (List<Limit> shape : shapes) {
      json.append('[');
      for (int i = 0; i < shape.size(); i++) {
        json.append(++rules).append(',');
      }
      close(json).append(',');
    }
    return close(json)
        .append(",[")
        .append(wanted, 1, wanted.length())
        .append("],[")
        .append(shapeNumbers, 1, shapeNumbers.length())
        .append("]]")
        .toString();
  }

  /// One number for each rule.
  private void column(StringBuilder json, ToLongFunction<Limit> number) {
    json.append('[');
    for (List<Limit> shape : shapes) {
      for (Limit limit : shape) {
        json.append(number.applyAsLong(limit)).append(',');
      }
    }
    close(json).append(',');
  }

  /// Ends a list, with its bracket for its last comma.
  private static StringBuilder close(StringBuilder json) {
    json.setCharAt(json.length() - 1, ']');
    return json;
  }
}
