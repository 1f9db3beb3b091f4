package fairgate.app;

import fairgate.app.config.FairgateConfig;
import fairgate.platform.http.HttpDependencies;
import fairgate.platform.http.HttpServer;
import fairgate.platform.http.Route;
import io.vertx.core.Vertx;
import java.util.List;

/// Splits the routes between the public port and the optional port for operators.
final class AdminPort {
  private AdminPort() {}

  /// The routes of the public port.
  static List<Route> publicRoutes(FairgateConfig config, List<Route> routes) {
    return config.server().hasAdminPort()
        ? routes.stream().filter(route -> !isAdmin(route)).toList()
        : routes;
  }

  /// Serves the operators' routes on their own port, if they have one, and returns the port on
  /// which operators reach them.
  static int serve(
      FairgateConfig config,
      Vertx vertx,
      HttpServer http,
      List<Route> routes,
      HttpDependencies seams) {
    return config.server().hasAdminPort()
        ? http.serve(
            vertx,
            Settings.http(config).withAddress(config.server().host(), config.server().adminPort()),
            routes.stream().filter(route -> isAdmin(route) || isShared(route)).toList(),
            seams)
        : http.port();
  }

  private static boolean isAdmin(Route route) {
    return route.path().startsWith("/api/admin/")
        || route.path().startsWith("/console")
        || route.path().equals("/metrics");
  }

  /// Whether both ports need the route.
  private static boolean isShared(Route route) {
    return route.path().startsWith("/assets/")
        || route.path().startsWith("/pictures/")
        || route.path().startsWith("/health/");
  }
}
