package fairgate.platform.http;

/// What a route answers to. HEAD is answered by GET's handler, OPTIONS by the router itself.
public enum Method {
  GET,
  POST,
  PUT,
  DELETE
}
