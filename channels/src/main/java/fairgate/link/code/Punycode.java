package fairgate.link.code;

/// The encoder of RFC 3492, section 6.3, for labels that `java.net.IDN` would change first.
final class Punycode {
  private static final int BASE = 36;
  private static final int T_MIN = 1;
  private static final int T_MAX = 26;
  private static final int SKEW = 38;
  private static final int DAMP = 700;
  private static final int INITIAL_BIAS = 72;
  private static final int INITIAL_N = 0x80;

  private Punycode() {}

  /// The label in punycode, without `xn--`.
  ///
  /// @param label at most a few hundred characters
  static String encode(String label) {
    int[] points = label.codePoints().toArray();
    StringBuilder out = new StringBuilder();
    label.codePoints().filter(c -> c < INITIAL_N).forEach(out::appendCodePoint);
    int basic = out.length();
    int handled = basic;
    if (basic > 0) {
      out.append('-');
    }
    int n = INITIAL_N;
    int delta = 0;
    int bias = INITIAL_BIAS;
    while (handled < points.length) {
      int next = next(points, n);
      delta = Math.addExact(delta, Math.multiplyExact(next - n, handled + 1));
      n = next;
      for (int point : points) {
        if (point < n) {
          delta++;
        } else if (point == n) {
          append(out, delta, bias);
          bias = adapt(delta, handled + 1, handled == basic);
          delta = 0;
          handled++;
        }
      }
      delta++;
      n++;
    }
    return out.toString();
  }

  /// The smallest code point that is not below `n`.
  private static int next(int[] points, int n) {
    int next = Integer.MAX_VALUE;
    for (int point : points) {
      if (point >= n && point < next) {
        next = point;
      }
    }
    return next;
  }

  private static void append(StringBuilder out, int delta, int bias) {
    int q = delta;
    for (int k = BASE; ; k += BASE) {
      int t = Math.clamp(k - bias, T_MIN, T_MAX);
      if (q < t) {
        out.append(digit(q));
        return;
      }
      out.append(digit(t + (q - t) % (BASE - t)));
      q = (q - t) / (BASE - t);
    }
  }

  private static char digit(int value) {
    return (char) (value < T_MAX ? 'a' + value : '0' + value - T_MAX);
  }

  private static int adapt(int delta, int points, boolean first) {
    int left = first ? delta / DAMP : delta / 2;
    left += left / points;
    int k = 0;
    while (left > (BASE - T_MIN) * T_MAX / 2) {
      left /= BASE - T_MIN;
      k += BASE;
    }
    return k + (BASE - T_MIN + 1) * left / (left + SKEW);
  }
}
