package fairgate.platform.http;

/// The action of a request, named after its API route. A page form for the same operation has the
/// same action. Limits, bans, required signatures and the audit log use the action, so they treat
/// both alike.
///
/// @param path the API route's pattern, such as `/api/orders/{order_id}/pay`
public record Action(Method method, String path) {
  /// The form used in settings and tables: `POST /api/purchase`.
  @Override
  public String toString() {
    return method + " " + path;
  }
}
