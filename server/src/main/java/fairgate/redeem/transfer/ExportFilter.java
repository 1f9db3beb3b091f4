package fairgate.redeem.transfer;

/// Which codes are taken out.
///
/// @param product of this product only; empty = of all
/// @param state in this state only; empty = in any
public record ExportFilter(String product, String state) {
  /// All codes.
  public static final ExportFilter ALL = new ExportFilter("", "");

  @Override
  public String toString() {
    return "product=" + product + " state=" + state;
  }
}
