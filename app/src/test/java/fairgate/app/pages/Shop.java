package fairgate.app.pages;

/// A running server with a shop, with the operations that browser tests need.
interface Shop extends AutoCloseable {
  String baseUrl();

  /// Creates a product.
  ///
  /// @param json as the admin API takes it; the sale is not open yet, visitors may join and wait
  void createProduct(String json);

  /// Opens the sale; waiting buyers are admitted in order.
  void openSale(String id);

  @Override
  void close();
}
