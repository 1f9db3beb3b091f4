package fairgate.kernel;

/// The id of a product: 1 to 19 decimal digits, kept as text (`"07"` and `"7"` differ).
public record ProductId(String value) implements Comparable<ProductId> {
  public ProductId {
    if (!isValid(value)) {
      throw new IllegalArgumentException("a product id is 1 to 19 digits");
    }
  }

  public static boolean isValid(String text) {
    int length = text.length();
    if (length < 1 || length > 19) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      char c = text.charAt(i);
      if (c < '0' || c > '9') {
        return false;
      }
    }
    return true;
  }

  @Override
  public int compareTo(ProductId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
