package fairgate.link;

import fairgate.link.LinkService.Bar;
import fairgate.link.LinkService.StoredLink;
import fairgate.platform.json.JsonText;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Links as JSON and as lines of CSV.
final class LinkJson {
  private static final List<String> HEAD =
      List.of(
          "code",
          "short_url",
          "url",
          "redirect_status",
          "forward_query",
          "state",
          "created_at",
          "expires_at",
          "max_visits",
          "visits",
          "clicks",
          "bots",
          "visitors");

  private LinkJson() {}

  static JsonText of(StoredLink link, String state, String base) {
    long expiry = link.entry().expiresAt();
    JsonText json =
        JsonText.object()
            .put("code", link.entry().code())
            .put("short_url", base + "/" + link.entry().code())
            .put("url", link.entry().url())
            .put("host", link.entry().host())
            .put("redirect_status", link.entry().redirectStatus())
            .put("forward_query", link.entry().forward().text())
            .put("state", state)
            .put("created_at", link.createdAt().toString())
            .put("expires_at", expiry == 0 ? null : Instant.ofEpochMilli(expiry).toString());
    if (link.entry().maxVisits() > 0) {
      json.put("max_visits", link.entry().maxVisits()).put("visits", link.visits());
    } else {
      json.put("max_visits", (String) null);
    }
    if (link.banReason() != null) {
      json.put("ban_reason", link.banReason());
    }
    return json.put("clicks", link.clicks())
        .put("bots", link.bots())
        .put("visitors", link.visitors());
  }

  static JsonText hours(List<Bar> bars) {
    JsonText all = JsonText.array();
    bars.forEach(bar -> all.add(of(bar)));
    return all;
  }

  /// Clicks by the day of a time zone.
  static JsonText days(List<Bar> bars, ZoneId zone) {
    JsonText all = JsonText.array();
    bars.forEach(
        bar -> all.add(of(bar).put("day", LocalDate.ofInstant(bar.at(), zone).toString())));
    return all;
  }

  private static JsonText of(Bar bar) {
    return JsonText.object()
        .put("at", bar.at().toString())
        .put("clicks", bar.clicks())
        .put("bots", bar.bots())
        .put("visitors", bar.visitors());
  }

  static List<String> csvHead() {
    return HEAD;
  }

  static List<String> csv(StoredLink link, String state, String base) {
    long expiry = link.entry().expiresAt();
    int max = link.entry().maxVisits();
    return List.of(
        link.entry().code(),
        base + "/" + link.entry().code(),
        link.entry().url(),
        Integer.toString(link.entry().redirectStatus()),
        link.entry().forward().text(),
        state,
        link.createdAt().toString(),
        text(expiry == 0 ? null : Instant.ofEpochMilli(expiry)),
        text(max == 0 ? null : max),
        text(max == 0 ? null : link.visits()),
        Long.toString(link.clicks()),
        Long.toString(link.bots()),
        Long.toString(link.visitors()));
  }

  private static String text(@Nullable Object value) {
    return value == null ? "" : value.toString();
  }
}
