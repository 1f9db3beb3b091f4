package fairgate.kernel;

/// An amount in minor units (cents, 分) of an ISO 4217 currency.
public record Money(long minorUnits, String currency) {
  public Money {
    if (minorUnits < 0) {
      throw new IllegalArgumentException("an amount must not be negative");
    }
    if (currency.length() != 3) {
      throw new IllegalArgumentException("a currency is three letters");
    }
  }

  /// The number of decimals of the currency.
  public int exponent() {
    return Iso4217.exponent(currency);
  }

  /// The amount for this number of units. Throws ArithmeticException when it exceeds 64 bits.
  public Money times(int quantity) {
    return new Money(Math.multiplyExact(minorUnits, quantity), currency);
  }
}
