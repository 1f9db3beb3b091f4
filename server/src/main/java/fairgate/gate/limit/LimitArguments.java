package fairgate.gate.limit;

import fairgate.gate.limit.LimitScript.Item;
import fairgate.gate.limit.LimitScript.Limit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/// What `limit.lua` is told of a run's items beside their keys. Items of one shape, whose keys are
/// limited alike, are most of a run, and what limits them is told once.
final class LimitArguments {
  /// An item of each shape.
  private final List<List<Limit>> shapes = new ArrayList<>(2);

  private final StringBuilder wanted = new StringBuilder(64);
  private final StringBuilder numbers = new StringBuilder(64);
  private final StringBuilder owed = new StringBuilder();
  private final boolean tells;

  /// @param tells whether what was counted elsewhere is told, and what is owed is to be
  LimitArguments(boolean tells) {
    this.tells = tells;
  }

  void add(Item item) {
    if (tells) {
      item.limits().forEach(limit -> owed.append(',').append(limit.owed()));
    }
    wanted.append(',').append(item.wanted());
    numbers.append(',').append(shape(item.limits()));
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
      if (a.advance() != b.advance() || !a.terms().equals(b.terms())) {
        return false;
      }
    }
    return true;
  }

  /// All of it, as the script's header says.
  String json() {
    StringBuilder json = new StringBuilder(160 + wanted.length() + numbers.length());
    json.append("[[");
    shapes.forEach(
        shape -> shape.forEach(l -> json.append('"').append(l.terms().kind()).append("\",")));
    close(json).append(',');
    column(json, limit -> limit.terms().p());
    column(json, limit -> limit.terms().q());
    column(json, limit -> limit.terms().burst());
    column(json, Limit::advance);
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
        .append(numbers, 1, numbers.length())
        .append(tells ? "],[" : "]]")
        .append(owed, tells ? 1 : 0, owed.length())
        .append(tells ? "]]" : "")
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
