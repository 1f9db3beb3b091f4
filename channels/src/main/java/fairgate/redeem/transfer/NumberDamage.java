package fairgate.redeem.transfer;

import java.util.Optional;
import java.util.regex.Pattern;

/// Detects order numbers that a program treated as numbers: Excel keeps fifteen digits and shows
/// the rest as zeros, or the whole as `3.21106E+18`; scripts keep sixteen or seventeen digits. The
/// lost digits cannot be restored.
///
/// A longer number that ends in three zeros is damaged, unless the file has no more of them than
/// chance explains: one of a thousand correct numbers ends so.
final class NumberDamage {
  private static final int EXACT = 15;
  private static final int ZEROS = 3;
  private static final int SUSPICION = 10;
  private static final Pattern EXPONENT = Pattern.compile("[+-]?\\d+([.,]\\d+)?[eE][+-]?\\d{1,3}");
  private static final Pattern DECIMAL = Pattern.compile("\\d{10,}\\.\\d*");

  private long zeroed;
  private double expected;

  /// Counts a number of the file, when it is one of those Excel would damage.
  void count(String orderId) {
    if (isLong(orderId)) {
      expected += Math.pow(10, -lost(orderId));
      zeroed += endsInZeros(orderId) ? 1 : 0;
    }
  }

  /// The problem of a number, once all numbers are counted.
  ///
  /// @param trustZeros whether endings of zeros are known to be correct
  Optional<RowProblem> problem(String orderId, boolean trustZeros) {
    if (EXPONENT.matcher(orderId).matches()) {
      return Optional.of(RowProblem.of("excel_exponent", orderId));
    }
    if (DECIMAL.matcher(orderId).matches()) {
      return Optional.of(RowProblem.of("excel_decimal", orderId));
    }
    boolean suspicious = zeroed > expected * SUSPICION;
    if (!trustZeros && suspicious && isLong(orderId) && endsInZeros(orderId)) {
      int zeros = orderId.length() - orderId.replaceFirst("0+$", "").length();
      return Optional.of(RowProblem.of("excel_zeros", orderId, Integer.toString(zeros)));
    }
    return Optional.empty();
  }

  private static boolean isLong(String orderId) {
    return orderId.length() > EXACT && orderId.chars().allMatch(c -> c >= '0' && c <= '9');
  }

  private static boolean endsInZeros(String orderId) {
    return orderId.endsWith("0".repeat(lost(orderId)));
  }

  /// How many digits at the end are zeros at least once it is damaged.
  private static int lost(String orderId) {
    return Math.min(ZEROS, orderId.length() - EXACT);
  }
}
