package fairgate.gate.signature;

import fairgate.platform.http.Request;
import java.util.List;

/// A request as its signer saw it.
interface Message {
  /// The method.
  String method();

  /// The `Host` header.
  String host();

  /// Path and query, not decoded.
  String target();

  /// All values of a header, in order.
  List<String> headers(String name);

  byte[] body();

  static Message of(Request request) {
    return new Message() {
      @Override
      public String method() {
        return request.methodSent();
      }

      @Override
      public String host() {
        List<String> hosts = request.headers("host");
        return hosts.size() == 1 ? hosts.getFirst() : "";
      }

      @Override
      public String target() {
        return request.target();
      }

      @Override
      public List<String> headers(String name) {
        return request.headers(name);
      }

      @Override
      public byte[] body() {
        return request.body();
      }
    };
  }
}
