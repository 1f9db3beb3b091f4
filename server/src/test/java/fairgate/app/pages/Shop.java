package fairgate.app.pages;

/// A running server with a shop, as far as the browser tests need one.
interface Shop extends AutoCloseable {
  String baseUrl();

  /// Creates a product.
  ///
  /// @param json as the admin API takes it; the sale is not open yet, visitors may join and wait
  void createProduct(String json);

  /// Opens the sale; whoever waits is admitted in order.
  void openSale(String id);

  @Override
  void close();
}
