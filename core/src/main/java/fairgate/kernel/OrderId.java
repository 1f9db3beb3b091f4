package fairgate.kernel;

/// The id of an order: `order_{product}_{26 characters}`. It contains the product, so the order's
/// Redis slot is known from the id alone. The last eight characters are its [OrderNumber].
public record OrderId(String value) {
  private static final String PREFIX = "order_";
  private static final int TAIL = 26;

  /// Crockford's base 32 lacks it.
  private static final char DEPOSIT = 'u';

  public OrderId {
    if (!isValid(value)) {
      throw new IllegalArgumentException("an order id is order_{product}_{26 characters}");
    }
  }

  public static boolean isValid(String text) {
    int cut = text.lastIndexOf('_');
    if (!text.startsWith(PREFIX) || cut < PREFIX.length() || text.length() - cut - 1 != TAIL) {
      return false;
    }
    for (int i = cut + 1; i < text.length(); i++) {
      char c = text.charAt(i);
      if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'))) {
        return false;
      }
    }
    return ProductId.isValid(text.substring(PREFIX.length(), cut));
  }

  /// An id of its product and a sortable, random suffix of 26 characters.
  public static OrderId of(ProductId product, String tail) {
    return new OrderId(PREFIX + product.value() + "_" + tail);
  }

  /// The id of a deposit. It has the form of an order's id, so that payment providers, tries to pay
  /// and refunds treat both alike, and begins with a letter that no other id has.
  public OrderId asDeposit() {
    int cut = value.lastIndexOf('_') + 1;
    return new OrderId(value.substring(0, cut) + DEPOSIT + value.substring(cut + 1));
  }

  public boolean isDeposit() {
    return value.charAt(value.lastIndexOf('_') + 1) == DEPOSIT;
  }

  public static boolean isDeposit(String text) {
    return isValid(text) && new OrderId(text).isDeposit();
  }

  public ProductId product() {
    return new ProductId(value.substring(PREFIX.length(), value.lastIndexOf('_')));
  }

  /// The number that people read out.
  public OrderNumber number() {
    return new OrderNumber(value.substring(value.length() - OrderNumber.LENGTH));
  }

  /// The same id with another number.
  public OrderId with(OrderNumber number) {
    return new OrderId(value.substring(0, value.length() - OrderNumber.LENGTH) + number.tail());
  }

  @Override
  public String toString() {
    return value;
  }
}
