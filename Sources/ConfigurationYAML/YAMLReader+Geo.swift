import ConfigurationModel
import Yams

/// `geo`.
extension YAMLReader {
    mutating func geo(_ fields: Fields) -> GeoDeclaration {
        var declaration = GeoDeclaration()
        declaration.database = text("database", in: fields, Expected.path)
        declaration.minimumBuild = text("minimum_build", in: fields, Expected.day)
        declaration.overrides = list("overrides", in: fields, .overrides) { reader, node, _ in
            let subject = fields.subject.entry(of: "overrides")
            guard let entry = reader.fields(node, name: subject.owner, subject, known: OverrideDeclaration.keys)
            else { return nil }
            var declaration = OverrideDeclaration()
            declaration.prefix = reader.text("prefix", in: entry, Expected.network)
            declaration.place = reader.place(entry)
            return declaration
        }
        declaration.geofeed = text("geofeed", in: fields, Expected.path)
        declaration.asnDatabase = text("asn_database", in: fields, Expected.path)
        declaration.asns = list("asns", in: fields, .asns) { reader, node, _ in
            let subject = fields.subject.entry(of: "asns")
            guard let entry = reader.fields(node, name: subject.owner, subject, known: ASNDeclaration.keys)
            else { return nil }
            var declaration = ASNDeclaration()
            declaration.asn = reader.integer("asn", in: entry, .asn)
            declaration.place = reader.place(entry)
            return declaration
        }
        return declaration
    }

    private mutating func place(_ fields: Fields) -> PlaceDeclaration {
        var declaration = PlaceDeclaration()
        declaration.latitude = decimal("latitude", in: fields, Expected.degrees(upTo: 90))
        declaration.longitude = decimal("longitude", in: fields, Expected.degrees(upTo: 180))
        declaration.country = text("country", in: fields, Expected.country)
        declaration.region = text("region", in: fields, Expected.region)
        declaration.continent = text("continent", in: fields, Expected.continent)
        declaration.city = text("city", in: fields, Expected.city)
        declaration.label = text("label", in: fields, Expected.word)
        return declaration
    }
}
