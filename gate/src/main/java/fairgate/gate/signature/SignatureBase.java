package fairgate.gate.signature;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// The signature base of a request: RFC 9421, section 2.5, for header fields and the derived
/// components of requests, without component parameters.
final class SignatureBase {
  private static final Pattern FIELD = Pattern.compile("[a-z0-9-]{1,64}");
  private static final Pattern DEFAULT_PORT = Pattern.compile(":(80|443)$");

  private SignatureBase() {}

  /// The text; empty when a component is unknown, absent or repeated.
  ///
  /// @param params components and parameters as sent
  static Optional<String> of(Message message, List<String> components, String params) {
    StringBuilder base = new StringBuilder(512);
    Set<String> seen = new HashSet<>();
    for (String component : components) {
      Optional<String> value =
          component.startsWith("@") ? derived(message, component) : field(message, component);
      if (value.isEmpty() || !seen.add(component)) {
        return Optional.empty();
      }
      base.append('"').append(component).append("\": ").append(value.get()).append('\n');
    }
    return Optional.of(base.append("\"@signature-params\": ").append(params).toString());
  }

  private static Optional<String> derived(Message message, String component) {
    String target = message.target();
    int mark = target.indexOf('?');
    return switch (component) {
      case "@method" -> Optional.of(message.method());
      case "@authority" ->
          // Which port is the default depends on the scheme, which a proxy may hide.
          Optional.of(
              DEFAULT_PORT.matcher(message.host().toLowerCase(Locale.ROOT)).replaceFirst(""));
      case "@path" -> Optional.of(mark < 0 ? target : target.substring(0, mark));
      case "@query" -> Optional.of(mark < 0 ? "?" : target.substring(mark));
      case "@request-target" -> Optional.of(target);
      default -> Optional.empty();
    };
  }

  private static Optional<String> field(Message message, String name) {
    List<String> values = FIELD.matcher(name).matches() ? message.headers(name) : List.<String>of();
    return values.isEmpty()
        ? Optional.empty()
        : Optional.of(String.join(", ", values.stream().map(String::strip).toList()));
  }
}
