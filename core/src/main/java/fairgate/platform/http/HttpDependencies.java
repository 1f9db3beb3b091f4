package fairgate.platform.http;

import fairgate.kernel.Audit;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.platform.observe.Metrics;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// The dependencies of the web server.
///
/// @param ids creates request ids and device ids
/// @param keys signs the device cookie (purpose `device-cookie`)
/// @param guard called before every route; null for none
/// @param audit records refusals
/// @param refusals told of every refusal, sampled or not, on the request's event loop
/// @param decisions gives refusals their decision ids; null when nobody can appeal
/// @param traces records spans of requests; null when traces are off
/// @param errorPage renders refusals for browsers; null when there are no pages: browsers then
///   receive the error body
public record HttpDependencies(
    Ids ids,
    KeyRing keys,
    Metrics metrics,
    @Nullable Guard guard,
    Audit audit,
    BiConsumer<Request, ErrorCode> refusals,
    @Nullable Decisions decisions,
    @Nullable Traces traces,
    @Nullable ErrorPage errorPage) {
  public HttpDependencies(
      Ids ids,
      KeyRing keys,
      Metrics metrics,
      @Nullable Guard guard,
      Audit audit,
      BiConsumer<Request, ErrorCode> refusals,
      @Nullable Decisions decisions,
      @Nullable ErrorPage errorPage) {
    this(ids, keys, metrics, guard, audit, refusals, decisions, null, errorPage);
  }

  public HttpDependencies(
      Ids ids,
      KeyRing keys,
      Metrics metrics,
      @Nullable Guard guard,
      Audit audit,
      @Nullable ErrorPage errorPage) {
    this(ids, keys, metrics, guard, audit, (_, _) -> {}, null, errorPage);
  }

  public HttpDependencies(
      Ids ids, KeyRing keys, Metrics metrics, @Nullable Guard guard, Audit audit) {
    this(ids, keys, metrics, guard, audit, (_, _) -> {}, null, null);
  }

  public HttpDependencies(Ids ids, KeyRing keys, Metrics metrics, @Nullable Guard guard) {
    this(ids, keys, metrics, guard, Audit.none());
  }

  public HttpDependencies(Ids ids, KeyRing keys, Metrics metrics) {
    this(ids, keys, metrics, null);
  }
}
