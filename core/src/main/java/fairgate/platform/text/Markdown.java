package fairgate.platform.text;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Block;
import org.commonmark.node.Heading;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.ListBlock;
import org.commonmark.node.Node;
import org.commonmark.node.ThematicBreak;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.NodeRenderer;
import org.commonmark.renderer.html.DefaultUrlSanitizer;
import org.commonmark.renderer.html.HtmlNodeRendererContext;
import org.commonmark.renderer.html.HtmlRenderer;
import org.commonmark.renderer.html.UrlSanitizer;
import org.commonmark.renderer.text.TextContentRenderer;

/// Renders CommonMark texts of operators for buyers: paragraphs, headings, lists, emphasis and
/// links. HTML in the text is shown as text, links lead to http, https and mail addresses only, and
/// pictures become their description, so a text cannot load anything.
public final class Markdown {
  /// Deeper texts are refused, because rendering is recursive.
  private static final int MAX_DEPTH = 20;

  /// The level of a text's highest headings: they come below the title of the page.
  private static final int HIGHEST_HEADING = 2;

  private static final int LOWEST_HEADING = 6;
  private static final Set<Class<? extends Block>> BLOCKS =
      Set.of(Heading.class, ListBlock.class, ThematicBreak.class);
  private static final Parser PARSER = Parser.builder().enabledBlockTypes(BLOCKS).build();
  private static final HtmlRenderer HTML =
      HtmlRenderer.builder()
          .escapeHtml(true)
          .sanitizeUrls(true)
          .urlSanitizer(new OwnAndWebLinks())
          .percentEncodeUrls(true)
          .attributeProviderFactory(
              _ ->
                  (node, _, attributes) -> {
                    if (node instanceof Link) {
                      attributes.put("rel", "nofollow noopener noreferrer");
                      attributes.remove("title");
                    }
                  })
          .nodeRendererFactory(PictureText::new)
          .build();
  private static final TextContentRenderer PLAIN = TextContentRenderer.builder().build();

  private Markdown() {}

  /// A rendered text.
  ///
  /// @param html safe to show
  /// @param plain without marks
  public record Rendered(String html, String plain) {}

  /// Renders a text; empty when it is nested too deeply.
  public static Optional<Rendered> render(String text) {
    Node document = PARSER.parse(text);
    if (depth(document) > MAX_DEPTH) {
      return Optional.empty();
    }
    Headings headings = new Headings();
    document.accept(headings);
    headings.level();
    return Optional.of(new Rendered(HTML.render(document), PLAIN.render(document).strip()));
  }

  /// Collects headings and gives them levels without a gap to the title.
  private static final class Headings extends AbstractVisitor {
    private final List<Heading> all = new ArrayList<>();

    @Override
    public void visit(Heading heading) {
      all.add(heading);
    }

    private void level() {
      int highest = all.stream().mapToInt(Heading::getLevel).min().orElse(HIGHEST_HEADING);
      for (Heading heading : all) {
        int level = heading.getLevel() - highest + HIGHEST_HEADING;
        heading.setLevel(Math.min(LOWEST_HEADING, level));
      }
    }
  }

  /// Drops the addresses of other schemes, and those without a scheme that lead to another host.
  private static final class OwnAndWebLinks implements UrlSanitizer {
    private static final UrlSanitizer SCHEMES =
        new DefaultUrlSanitizer(List.of("http", "https", "mailto"));

    @Override
    public String sanitizeLinkUrl(String url) {
      // Browsers read a backslash as a slash, and ignore control characters.
      String read = url.replaceAll("[\\x00-\\x20]", "").replace('\\', '/');
      return read.startsWith("//") ? "" : SCHEMES.sanitizeLinkUrl(url);
    }

    @Override
    public String sanitizeImageUrl(String url) {
      return SCHEMES.sanitizeImageUrl(url);
    }
  }

  /// The depth of a tree, without recursion.
  private static int depth(Node root) {
    int deepest = 0;
    Deque<Level> open = new ArrayDeque<>();
    open.push(new Level(root, 0));
    while (!open.isEmpty()) {
      Level level = open.pop();
      deepest = Math.max(deepest, level.depth());
      for (Node child = level.node().getFirstChild(); child != null; child = child.getNext()) {
        open.push(new Level(child, level.depth() + 1));
      }
    }
    return deepest;
  }

  private record Level(Node node, int depth) {}

  /// Renders the description of a picture.
  private record PictureText(HtmlNodeRendererContext context) implements NodeRenderer {
    @Override
    public Set<Class<? extends Node>> getNodeTypes() {
      return Set.of(Image.class);
    }

    @Override
    public void render(Node picture) {
      for (Node child = picture.getFirstChild(); child != null; child = child.getNext()) {
        context.render(child);
      }
    }
  }
}
