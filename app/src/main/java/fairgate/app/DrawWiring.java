package fairgate.app;

import fairgate.app.command.StartFailed;
import fairgate.app.config.DrawSettings;
import fairgate.app.config.FairgateConfig;
import fairgate.catalog.Buyers;
import fairgate.catalog.Catalog;
import fairgate.catalog.Product;
import fairgate.draw.Draw;
import fairgate.draw.DrawFeature;
import fairgate.draw.DrawService.SaleUnits;
import fairgate.draw.beacon.BeaconChain;
import fairgate.draw.store.HouseNotes;
import fairgate.draw.tlog.StrictText;
import fairgate.draw.tlog.VerifierKey;
import fairgate.draw.witness.Witnesses;
import fairgate.gate.policy.PolicyService;
import fairgate.kernel.OrderDraws;
import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.audit.AuditLog;
import fairgate.queue.QueueFeature;
import fairgate.sale.LiveCounters;
import fairgate.sale.SaleFeature;
import fairgate.sale.SaleService;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Wires draws.
final class DrawWiring {
  private static final Duration PASS = Duration.ofSeconds(1);
  private static final int COUNT_SECONDS = 5;
  private static final int NOTED_DAYS = 14;
  private static final int NOTED_STEPS = 500;
  private static final int MAX_WITNESSES = 32;
  private static final int MIN_WITNESSED_MARGIN = 75;

  private DrawWiring() {}

  static DrawFeature draws(
      FairgateConfig config,
      Catalog catalog,
      Buyers buyers,
      QueueFeature queue,
      SaleFeature sale,
      OrderDraws.Later rooms,
      PolicyService policies,
      FeatureSet.ServerContext context) {
    DrawFeature draws =
        DrawFeature.wire(
            config(config),
            new DrawFeature.Dependencies(
                context.stores().redis(),
                context.stores().style(),
                context.stores().postgres(),
                context.keys(),
                context.clock(),
                context.ids().nonce(),
                catalog,
                buyers,
                queue.service(),
                product -> taken(sale, product),
                notes(policies, context.audit()),
                context.metrics()));
    rooms.drawBy(draws.rooms());
    return context.closer().add(draws);
  }

  private static SaleUnits.Taken taken(SaleFeature sale, Product product) {
    LiveCounters live = live(sale.service(), product.id());
    if (isBehind(live, product)) {
      // A new or changed sale, or one that Redis has lost: the periodic comparison may be a minute
      // away.
      sale.sync().sync(product);
      live = live(sale.service(), product.id());
    }
    if (isBehind(live, product) || !live.trusted() || !live.balanced()) {
      throw new ServiceUnavailable("the units of the sale are not certain", Duration.ofSeconds(1));
    }
    return new SaleUnits.Taken(live.held() + live.confirmed(), live.waiting() + live.active());
  }

  /// Whether Redis counts by an older policy: buyers may still join the sale.
  private static boolean isBehind(LiveCounters live, Product product) {
    return !live.known() || live.version() < product.version();
  }

  private static LiveCounters live(SaleService sale, ProductId product) {
    try {
      return sale.live(product).await(COUNT_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new ServiceUnavailable("Redis is too slow", Duration.ofSeconds(1));
    }
  }

  private static DrawFeature.Config config(FairgateConfig config) {
    DrawSettings draws = config.draws();
    return new DrawFeature.Config(
        logName(config),
        chains(draws),
        draws.beaconUrls(),
        draws.timeZone().orElse(config.pages().shop().timeZone()),
        Duration.ofMinutes(draws.fallbackMinutes()),
        witnesses(draws),
        roomMargin(draws),
        PASS);
  }

  /// The witnesses sign each second, and their signatures count until a minute before the round.
  private static Duration roomMargin(DrawSettings draws) {
    if (draws.quorum() > 0 && draws.roomSeconds() < MIN_WITNESSED_MARGIN) {
      throw new StartFailed("draws.room_seconds: at least 75 with draws.quorum");
    }
    return Duration.ofSeconds(draws.roomSeconds());
  }

  /// The heads of ended days of the audit log and the steps of the risk policy.
  private static HouseNotes.Sources notes(PolicyService policies, AuditLog audit) {
    return new HouseNotes.Sources(
        () ->
            audit.closedDays(NOTED_DAYS).stream()
                .map(day -> new HouseNotes.Day(day.day(), day.events(), day.head()))
                .toList(),
        after ->
            policies.stepsAfter(after, NOTED_STEPS).stream()
                .map(
                    step ->
                        new HouseNotes.Step(
                            step.id(), step.version(), step.step(), step.sha256(), step.at()))
                .toList());
  }

  private static Witnesses.Config witnesses(DrawSettings draws) {
    List<Witnesses.Config.Witness> all =
        draws.witnesses().stream()
            .filter(text -> !text.isBlank())
            .map(DrawWiring::witness)
            .toList();
    long keys = all.stream().map(it -> it.key().text()).distinct().count();
    if (all.size() > MAX_WITNESSES || keys < all.size() || draws.quorum() > all.size()) {
      throw new StartFailed(
          "draws.witnesses: at most 32 different witnesses, and as many as draws.quorum");
    }
    return new Witnesses.Config(all, draws.quorum());
  }

  private static Witnesses.Config.Witness witness(String text) {
    String[] parts = text.strip().split(" +", 2);
    try {
      URI address = URI.create(parts.length == 2 ? parts[1] : "");
      boolean isWeb = "http".equals(address.getScheme()) || "https".equals(address.getScheme());
      return VerifierKey.parse(parts[0], VerifierKey.Type.COSIGNATURE)
          .filter(_ -> isWeb && address.getHost() != null)
          .map(key -> new Witnesses.Config.Witness(key, address))
          .orElseThrow(() -> new IllegalArgumentException(text));
    } catch (IllegalArgumentException e) {
      throw new StartFailed("draws.witnesses: not a key and an address: " + text);
    }
  }

  private static String logName(FairgateConfig config) {
    String name = config.draws().logName();
    String base = config.signIn().baseUrl();
    if (!name.isEmpty()) {
      return name;
    }
    return (base.isEmpty() ? "localhost" : URI.create(base).getHost()) + "/fairgate";
  }

  private static Draw.Chains chains(DrawSettings draws) {
    String first = chain("draws.chain_file", draws.chainFile());
    String second = chain("draws.second_chain_file", draws.secondChainFile());
    if (!second.isEmpty() && hash(second).equals(hash(first))) {
      throw new StartFailed("draws.second_chain_file: not another chain than the first");
    }
    return new Draw.Chains(first, second);
  }

  private static String hash(String info) {
    return info.isEmpty()
        ? BeaconChain.QUICKNET.hash()
        : BeaconChain.parse(StrictText.bytes(info)).orElseThrow().hash();
  }

  private static String chain(String setting, String file) {
    if (file.isEmpty()) {
      return "";
    }
    try {
      byte[] info = Files.readAllBytes(Path.of(file));
      if (BeaconChain.parse(info).isEmpty()) {
        throw new StartFailed(setting + ": " + file + " describes no beacon chain");
      }
      return StrictText.utf8(info).orElseThrow();
    } catch (IOException e) {
      throw new StartFailed(setting + ": " + file + " cannot be read");
    }
  }
}
