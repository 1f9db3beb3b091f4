package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.benmanes.caffeine.cache.Cache;
import fairgate.TestEngines;
import fairgate.platform.http.Method;
import fairgate.platform.http.Route;
import fairgate.testkit.Eventually;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Calls with random names leave nothing behind that grows with their number.
@Tag("proof")
class StrangersMemoryIT {
  private static final int ROUNDS = 20;
  private static final Pattern PLACEHOLDER = Pattern.compile("\\{([^}*]+)\\*?}");

  /// Collections that may grow, because each has a bound that its class documents.
  private static final Set<String> BOUNDED =
      Set.of("Languages.KNOWN", "LinkCache.absent", "Periods.now", "Periods.before");

  @Test
  void randomNamesOnEveryRouteLeaveNothingInMemory() {
    try (TestFairgate server =
        TestFairgate.start(
            TestEngines.shared(),
            TestEngines.shared().freshDatabase(),
            Map.of("server.trusted_proxies", "127.0.0.1"))) {
      everyRoute(server, 2);
      Map<String, Long> before = sizes(server);
      assertThat(before).as("the walk finds the server's collections").hasSizeGreaterThan(30);
      assertThat(before).containsKey("ScriptBatcher.queues");
      everyRoute(server, ROUNDS);
      // What is still being written, such as audit events, leaves memory a moment later.
      var _ = Eventually.get("nothing has grown", () -> grown(server, before), Map::isEmpty);
    }
  }

  private static Map<String, Long> grown(TestFairgate server, Map<String, Long> before) {
    Map<String, Long> grown = new TreeMap<>();
    sizes(server)
        .forEach(
            (name, size) -> {
              long more = size - before.getOrDefault(name, 0L);
              if (more >= ROUNDS / 2 && !BOUNDED.contains(name)) {
                grown.put(name, more);
              }
            });
    return grown;
  }

  private static void everyRoute(TestFairgate server, int rounds) {
    for (Route route : server.routes()) {
      if (route.path().equals("/api/queue/stream")) {
        continue; // Needs a session that exists.
      }
      for (int i = 0; i < rounds; i++) {
        call(server, route);
      }
    }
  }

  private static void call(TestFairgate server, Route route) {
    String path =
        PLACEHOLDER
            .matcher(route.path())
            .replaceAll(m -> Matcher.quoteReplacement(made(m.group(1))));
    String body =
        route.method() == Method.GET
            ? ""
            : route.path().startsWith("/api/")
                ? """
                {"product_id":"%s","quantity":1,"turnstile_token":"XXXX.DUMMY.TOKEN.XXXX",
                 "username":"%s","password":"%s","order_id":"%s","code":"%s","purchase_token":"%s"}
                """
                    .formatted(digits(), text(), text(), text(), text(), text())
                : "quantity=1&username=" + text() + "&password=" + text() + "&order=" + text();
    var _ =
        server.call(
            route.method().name(),
            path + (route.method() == Method.GET ? "?product_id=" + digits() + "&a=" + text() : ""),
            body,
            "X-Session-Id",
            UUID.randomUUID().toString(),
            "Idempotency-Key",
            text(),
            "Authorization",
            "Bearer " + text(),
            "Accept-Language",
            text().substring(0, 5),
            "sec-fetch-site",
            "same-origin",
            "X-Forwarded-For",
            "10." + byteText() + "." + byteText() + "." + byteText(),
            "cookie",
            "fairgate_device=" + text() + "; fairgate_account=" + text());
  }

  private static String made(String name) {
    return name.equals("id") ? digits() : text();
  }

  private static String digits() {
    return Long.toString(ThreadLocalRandom.current().nextLong(1_000_000_000L, 9_000_000_000L));
  }

  private static String text() {
    return UUID.randomUUID().toString().replace("-", "");
  }

  private static String byteText() {
    return Integer.toString(ThreadLocalRandom.current().nextInt(256));
  }

  /// Entries held by each field of our classes that is a collection, over all objects reachable
  /// from the server, by `Class.field`.
  private static Map<String, Long> sizes(TestFairgate server) {
    Map<String, Long> sizes = new TreeMap<>();
    Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    Deque<Object> left = new ArrayDeque<>();
    left.add(server);
    while (!left.isEmpty()) {
      Object one = left.remove();
      for (Class<?> type = one.getClass(); isOurs(type); type = type.getSuperclass()) {
        for (Field field : type.getDeclaredFields()) {
          Object value = value(field, one);
          if (value == null) {
            continue;
          }
          String name =
              type.getSimpleName().replaceAll("\\$\\$Lambda.*", "Lambda") + "." + field.getName();
          visit(name, value, sizes, seen, left);
        }
      }
    }
    return sizes;
  }

  private static void visit(
      String name,
      @Nullable Object value,
      Map<String, Long> sizes,
      Set<Object> seen,
      Deque<Object> left) {
    if (value == null) {
      return;
    }
    if (value instanceof Cache<?, ?> cache) {
      cache.cleanUp();
      if (seen.add(value)) {
        sizes.merge(name, cache.estimatedSize(), Long::sum);
      }
    } else if (value instanceof Map<?, ?> map) {
      if (seen.add(value)) {
        sizes.merge(name, (long) map.size(), Long::sum);
        new ArrayList<>(map.values()).forEach(each -> visit(name, each, sizes, seen, left));
      }
    } else if (value instanceof Collection<?> all) {
      if (seen.add(value)) {
        sizes.merge(name, (long) all.size(), Long::sum);
        new ArrayList<>(all).forEach(each -> visit(name, each, sizes, seen, left));
      }
    } else if (value instanceof Object[] array) {
      for (Object each : array) {
        visit(name, each, sizes, seen, left);
      }
    } else if (isOurs(value.getClass()) && seen.add(value)) {
      left.add(value);
    }
  }

  private static boolean isOurs(@Nullable Class<?> type) {
    return type != null && type.getName().startsWith("fairgate.") && !type.isEnum();
  }

  private static @Nullable Object value(Field field, Object owner) {
    if (field.getType().isPrimitive()) {
      return null;
    }
    try {
      field.setAccessible(true);
      return field.get(Modifier.isStatic(field.getModifiers()) ? null : owner);
    } catch (IllegalAccessException | InaccessibleObjectException e) {
      return null;
    }
  }
}
