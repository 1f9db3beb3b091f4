package fairgate.platform.http;

/// The HTTP method of a route. HEAD requests use the handler of GET; the router answers OPTIONS.
public enum Method {
  GET,
  POST,
  PUT,
  PATCH,
  DELETE
}
