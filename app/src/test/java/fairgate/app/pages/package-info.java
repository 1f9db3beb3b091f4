/// Tests of the visitor's pages.
@NullMarked
package fairgate.app.pages;

import org.jspecify.annotations.NullMarked;
